package io.fjordmq.range.kv;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link Kv} on a RocksDB without a write-ahead log; each space is a column family.
 *
 * <p>Opening and closing block on disk I/O. Writes block while RocksDB stalls them because flushes
 * or compactions are too far behind.
 */
public final class RocksKv implements Kv {
  /*
   * A batch touches a single column family (WriteBehind combines several into one, in order), and
   * RocksDB flushes a column family's memtables whole and in order. Therefore, after a crash, every
   * space holds the state after some batch, even without atomic flushes across column families.
   */
  private static final Logger LOG = LoggerFactory.getLogger(RocksKv.class);
  private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final Pattern NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9_-]*");

  /** Key of the only row in the default column family, which belongs to no space. */
  private static final byte[] PROBE = "probe".getBytes(StandardCharsets.US_ASCII);

  private final RocksDB db;
  private final RocksOptions options;
  private final RocksFailures failures;
  private final RocksGate gate = new RocksGate();
  private final Map<String, OpenSpace> spaces = new ConcurrentHashMap<>();
  private final long maxUnwrittenBytes;
  private final ColumnFamilyHandle defaultFamily;
  private final FlushQueue flushes;

  /** The view of a space that callers use, and the column family below it. */
  private record OpenSpace(WriteBehind writeBehind, RocksSpace family) {}

  private RocksKv(
      RocksDB db,
      RocksOptions options,
      RocksFailures failures,
      long maxUnwrittenBytes,
      List<ColumnFamilyDescriptor> families,
      List<ColumnFamilyHandle> handles) {
    this.db = db;
    this.options = options;
    this.failures = failures;
    this.maxUnwrittenBytes = maxUnwrittenBytes;
    this.defaultFamily = handles.get(0);
    for (int i = 1; i < handles.size(); i++) {
      String name = new String(families.get(i).getName(), StandardCharsets.UTF_8);
      spaces.put(name, openSpace(name, handles.get(i)));
    }
    this.flushes = new FlushQueue("kv-flush", this::flushNow, FLUSH_TIMEOUT);
  }

  /**
   * Opens the storage in a directory, creating both if they do not exist.
   *
   * @throws KvException if another process uses the directory or it cannot be read or written
   */
  public static RocksKv open(Path directory, RocksKvSettings settings) {
    RocksDB.loadLibrary();
    RocksFailures failures = new RocksFailures(directory);
    RocksOptions options = new RocksOptions(settings, failures);
    try {
      Files.createDirectories(directory);
      List<ColumnFamilyDescriptor> families = families(directory, options);
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      RocksDB db = RocksDB.open(options.db(), directory.toString(), families, handles);
      LOG.info("State storage opened directory={} spaces={}", directory, families.size() - 1);
      return new RocksKv(db, options, failures, settings.maxUnwrittenBytes(), families, handles);
    } catch (RocksDBException e) {
      options.close();
      throw failures.translate("cannot open state storage", e);
    } catch (IOException e) {
      options.close();
      throw new KvException(
          KvException.Kind.IO_ERROR, "cannot create state directory " + directory + ": " + e, e);
    }
  }

  private static List<ColumnFamilyDescriptor> families(Path directory, RocksOptions options)
      throws RocksDBException {
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    families.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options.family()));
    if (Files.exists(directory.resolve("CURRENT"))) {
      try (Options listing = new Options()) {
        for (byte[] name : RocksDB.listColumnFamilies(listing, directory.toString())) {
          if (!java.util.Arrays.equals(name, RocksDB.DEFAULT_COLUMN_FAMILY)) {
            families.add(new ColumnFamilyDescriptor(name, options.family()));
          }
        }
      }
    }
    return families;
  }

  @Override
  public KvSpace space(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("invalid space name '" + name + "': must match " + NAME);
    }
    return spaces.computeIfAbsent(name, this::create).writeBehind;
  }

  private OpenSpace create(String name) {
    gate.enter();
    try {
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      ColumnFamilyDescriptor family = new ColumnFamilyDescriptor(bytes, options.family());
      return openSpace(name, db.createColumnFamily(family));
    } catch (RocksDBException e) {
      throw failures.translate("cannot create space " + name, e);
    } finally {
      gate.leave();
    }
  }

  private OpenSpace openSpace(String name, ColumnFamilyHandle handle) {
    RocksSpace family = new RocksSpace(name, db, handle, gate, failures);
    return new OpenSpace(new WriteBehind(family, maxUnwrittenBytes), family);
  }

  @Override
  public CompletableFuture<Void> flush() {
    return flushes.request();
  }

  private void flushNow() {
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    spaces
        .values()
        .forEach(
            space -> {
              space.writeBehind.writeOut();
              handles.add(space.family.handle());
            });
    gate.enter();
    try (FlushOptions wait = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
      if (!handles.isEmpty()) {
        db.flush(wait, handles);
        failures.onWriteSucceeded();
      }
    } catch (RocksDBException e) {
      throw failures.onWriteFailed("cannot flush state storage", e);
    } finally {
      gate.leave();
    }
  }

  @Override
  public @Nullable KvException failure() {
    return failures.current();
  }

  @Override
  public void retryWrites() {
    if (failures.current() == null) {
      return;
    }
    gate.enter();
    try (WriteOptions withoutLog = new WriteOptions().setDisableWAL(true)) {
      db.put(defaultFamily, withoutLog, PROBE, PROBE);
      failures.onWriteSucceeded();
    } catch (RocksDBException e) {
      failures.onWriteFailed("cannot write to state storage", e);
    } finally {
      gate.leave();
    }
  }

  @Override
  public KvMetrics metrics() {
    gate.enter();
    try {
      return new KvMetrics(
          spaces.values().stream().mapToLong(space -> space.writeBehind.unwrittenBytes()).sum(),
          sum("rocksdb.cur-size-all-mem-tables"),
          options.blockCacheUsage(),
          sum("rocksdb.total-sst-files-size"),
          sum("rocksdb.estimate-pending-compaction-bytes"),
          db.getLongProperty("rocksdb.is-write-stopped") != 0,
          db.getLongProperty("rocksdb.background-errors"));
    } catch (RocksDBException e) {
      throw failures.translate("cannot read metrics of state storage", e);
    } finally {
      gate.leave();
    }
  }

  private long sum(String property) throws RocksDBException {
    long sum = 0;
    for (OpenSpace space : spaces.values()) {
      sum += db.getLongProperty(space.family.handle(), property);
    }
    return sum;
  }

  @Override
  public void close() {
    spaces.values().forEach(space -> space.writeBehind.close());
    try {
      flushes.close();
    } catch (KvException e) {
      LOG.error(
          "Final state storage flush failed; the Raft log still holds the unflushed writes", e);
    }
    if (!gate.shut(CLOSE_TIMEOUT)) {
      return;
    }
    spaces.values().forEach(space -> space.family.closeHandle());
    defaultFamily.close();
    db.close();
    options.close();
    LOG.info("State storage closed");
  }
}
