package io.fjordmq.cluster.consensus.log;

import io.fjordmq.cluster.UseGate;
import io.fjordmq.cluster.consensus.RaftLogSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RocksDB instance behind {@link SharedLog}: its options, and calls guarded against a closed
 * database.
 *
 * <p>A call after {@link #close} throws. Without this guard it would crash the process; jraft's
 * timers do make such calls.
 */
final class LogDatabase implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LogDatabase.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  /** Column families. RocksDB requires the default one, which stays empty. */
  enum Family {
    DEFAULT("default"),
    ENTRIES("entries"),
    RAFT("raft");

    private final byte[] name;

    Family(String name) {
      this.name = name.getBytes(StandardCharsets.US_ASCII);
    }
  }

  // The log is read from memory, or sequentially at startup; a small cache is enough.
  private static final long BLOCK_CACHE_BYTES = 4L << 20;
  // Overwriting a recycled file syncs only data; growing a new file also syncs its length.
  private static final int RECYCLED_WAL_FILES = 4;

  private final List<RocksObject> options = new ArrayList<>();
  private final List<ColumnFamilyHandle> families = new ArrayList<>();
  private final UseGate gate = new UseGate();
  private final WriteOptions durable;
  private final WriteOptions buffered;
  private final RocksDB db;

  static {
    RocksDB.loadLibrary();
  }

  LogDatabase(Path directory, RaftLogSettings settings) throws RocksDBException {
    durable = track(new WriteOptions().setSync(settings.fsync()));
    buffered = track(new WriteOptions());
    try {
      db =
          RocksDB.open(
              databaseOptions(settings),
              directory.toString(),
              List.of(
                  new ColumnFamilyDescriptor(Family.DEFAULT.name, smallFamilyOptions()),
                  new ColumnFamilyDescriptor(Family.ENTRIES.name, entriesOptions(settings)),
                  new ColumnFamilyDescriptor(Family.RAFT.name, smallFamilyOptions())),
              families);
    } catch (RocksDBException e) {
      options.forEach(RocksObject::close);
      throw e;
    }
  }

  private DBOptions databaseOptions(RaftLogSettings settings) {
    return track(
        new DBOptions()
            .setCreateIfMissing(true)
            .setCreateMissingColumnFamilies(true)
            .setMaxTotalWalSize(settings.maxWalBytes())
            .setRecycleLogFileNum(RECYCLED_WAL_FILES)
            .setMaxBackgroundJobs(2)
            .setMaxOpenFiles(256)
            .setKeepLogFileNum(2)
            .setMaxLogFileSize(4L << 20)
            .setBytesPerSync(1L << 20)
            .setStatsDumpPeriodSec(0));
  }

  private ColumnFamilyOptions entriesOptions(RaftLogSettings settings) {
    return track(
        tableOptions()
            .setWriteBufferSize(settings.effectiveMemtableBytes())
            .setMaxWriteBufferNumber(4)
            .setMinWriteBufferNumberToMerge(2)
            .setTargetFileSizeBase(64L << 20));
  }

  private ColumnFamilyOptions smallFamilyOptions() {
    return track(tableOptions().setWriteBufferSize(1L << 20));
  }

  private ColumnFamilyOptions tableOptions() {
    LRUCache cache = track(new LRUCache(BLOCK_CACHE_BYTES));
    return new ColumnFamilyOptions()
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
  }

  private <T extends RocksObject> T track(T option) {
    options.add(option);
    return option;
  }

  byte @Nullable [] get(Family family, byte[] key) throws RocksDBException {
    enter();
    try {
      return db.get(handle(family), key);
    } finally {
      leave();
    }
  }

  /** Returns the keys of {@code [from, to)}, in order. */
  List<byte[]> keys(Family family, byte[] from, byte[] to) throws RocksDBException {
    List<byte[]> found = new ArrayList<>();
    enter();
    try (Slice bound = new Slice(to);
        ReadOptions read = new ReadOptions().setIterateUpperBound(bound);
        RocksIterator it = db.newIterator(handle(family), read)) {
      for (it.seek(from); it.isValid(); it.next()) {
        found.add(it.key());
      }
      it.status();
      return found;
    } finally {
      leave();
    }
  }

  /** Returns the last key of {@code [from, to]}; null if there is none. */
  byte @Nullable [] lastKey(Family family, byte[] from, byte[] to) throws RocksDBException {
    enter();
    try (Slice bound = new Slice(from);
        ReadOptions read = new ReadOptions().setIterateLowerBound(bound);
        RocksIterator it = db.newIterator(handle(family), read)) {
      it.seekForPrev(to);
      it.status();
      return it.isValid() ? it.key() : null;
    } finally {
      leave();
    }
  }

  /** Starts a batch of writes; the database stays open until the batch is closed. */
  Batch batch() throws RocksDBException {
    enter();
    try {
      return new Batch();
    } catch (RuntimeException | Error e) {
      gate.leave();
      throw e;
    }
  }

  /** Writes that become visible and durable together. Not thread-safe. */
  final class Batch implements AutoCloseable {
    private final WriteBatch writes = new WriteBatch();

    Batch put(Family family, byte[] key, byte[] value) throws RocksDBException {
      writes.put(handle(family), key, value);
      return this;
    }

    Batch delete(Family family, byte[] key) throws RocksDBException {
      writes.delete(handle(family), key);
      return this;
    }

    /** Removes the keys of {@code [from, to)}. */
    Batch deleteRange(Family family, byte[] from, byte[] to) throws RocksDBException {
      writes.deleteRange(handle(family), from, to);
      return this;
    }

    void commit(boolean sync) throws RocksDBException {
      db.write(sync ? durable : buffered, writes);
    }

    @Override
    public void close() {
      try {
        writes.close();
      } finally {
        leave();
      }
    }
  }

  private ColumnFamilyHandle handle(Family family) {
    return families.get(family.ordinal());
  }

  private void enter() throws RocksDBException {
    if (!gate.enter()) {
      throw new RocksDBException("the log database is closed");
    }
  }

  private void leave() {
    gate.leave();
  }

  /**
   * Leaves the database open if a call does not return, because freeing memory that is in use would
   * crash the process.
   */
  @Override
  public void close() {
    if (gate.isShut()) {
      return;
    }
    if (!gate.shut(CLOSE_TIMEOUT)) {
      LOG.error(
          "Not closing the log database: calls did not return within {} s; all writes are on disk"
              + " calls={}",
          CLOSE_TIMEOUT.toSeconds(),
          gate.threadsInside());
      return;
    }
    families.forEach(ColumnFamilyHandle::close);
    db.close();
    options.forEach(RocksObject::close);
  }
}
