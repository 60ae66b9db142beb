package io.fjordmq.cluster.consensus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ObjLongConsumer;
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

/**
 * The one database that holds the Raft logs, terms and votes of every group of a node.
 *
 * <p>Shared so that groups writing at the same time share an fsync: RocksDB lets one writer carry
 * the waiting ones along in a single write and sync of its write-ahead file. {@link LogKeys} draws
 * the layout. This class knows bytes, {@link GroupLog} knows Raft.
 *
 * <p>Thread-safe. No method may run during or after {@link #close}; the host closes its groups
 * first.
 */
final class SharedLog implements AutoCloseable {
  // A log is read from memory or in long runs at start; a small cache is enough.
  private static final long BLOCK_CACHE_BYTES = 4L << 20;
  private static final int RECYCLED_WAL_FILES = 4;

  private final Path directory;
  private final List<RocksObject> options = new ArrayList<>();
  private final WriteOptions durable;
  private final WriteOptions buffered;
  private final List<ColumnFamilyHandle> families = new ArrayList<>();
  private final RocksDB db;

  static {
    RocksDB.loadLibrary();
  }

  /**
   * Opens the database, creating it if the directory is empty or absent.
   *
   * @throws ConsensusException ({@code FAILED}) if it is in use, unreadable or of another format
   */
  static SharedLog open(Path directory, LogSettings settings) throws ConsensusException {
    try {
      Files.createDirectories(directory);
      return new SharedLog(directory, settings);
    } catch (RocksDBException e) {
      throw new ConsensusException(
          ConsensusException.Kind.FAILED, explain(directory, e.getMessage()), e);
    } catch (IOException e) {
      throw new ConsensusException(
          ConsensusException.Kind.FAILED,
          "cannot create the Raft log directory " + directory + ": " + e.getMessage(),
          e);
    }
  }

  private static String explain(Path directory, @Nullable String message) {
    String cause = String.valueOf(message);
    if (cause.contains("lock")) {
      return "the Raft log in "
          + directory
          + " is in use by another process; stop it or choose another data directory ("
          + cause
          + ")";
    }
    return "the Raft log in " + directory + " cannot be opened: " + cause;
  }

  private SharedLog(Path directory, LogSettings settings) throws RocksDBException {
    this.directory = directory;
    durable = keep(new WriteOptions().setSync(settings.fsync()));
    buffered = keep(new WriteOptions());
    try {
      db =
          RocksDB.open(
              databaseOptions(settings),
              directory.toString(),
              List.of(
                  new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, small()),
                  new ColumnFamilyDescriptor(ascii("entries"), entries(settings)),
                  new ColumnFamilyDescriptor(ascii("raft"), small())),
              families);
    } catch (RocksDBException e) {
      closeOptions();
      throw e;
    }
    try {
      checkFormat();
    } catch (RocksDBException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private DBOptions databaseOptions(LogSettings settings) {
    return keep(
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

  private ColumnFamilyOptions entries(LogSettings settings) {
    return keep(
        table()
            .setWriteBufferSize(settings.memtableBytes())
            .setMaxWriteBufferNumber(4)
            .setMinWriteBufferNumberToMerge(2)
            .setTargetFileSizeBase(64L << 20));
  }

  private ColumnFamilyOptions small() {
    return keep(table().setWriteBufferSize(1L << 20));
  }

  private ColumnFamilyOptions table() {
    LRUCache cache = keep(new LRUCache(BLOCK_CACHE_BYTES));
    return new ColumnFamilyOptions()
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
  }

  private <T extends RocksObject> T keep(T option) {
    options.add(option);
    return option;
  }

  private void checkFormat() throws RocksDBException {
    byte[] found = raft(LogKeys.format());
    if (found == null) {
      try (Batch batch = batch()) {
        batch.put(LogKeys.format(), new byte[] {LogKeys.FORMAT_VERSION}).commit(true);
      }
    } else {
      StoredVersion.require("the Raft log in " + directory, LogKeys.FORMAT_VERSION, found[0]);
    }
  }

  /** Every group with a record, in no particular order. */
  Set<GroupId> groups() throws RocksDBException {
    Set<GroupId> found = new HashSet<>();
    byte[] prefix = LogKeys.groups();
    scanKeys(family(false), prefix, next(prefix), key -> found.add(LogKeys.groupOf(key)));
    return found;
  }

  /** Directory names of the copies that were being installed when the last process ended. */
  Set<String> installing() throws RocksDBException {
    List<byte[]> keys = new ArrayList<>();
    byte[] prefix = LogKeys.installs();
    scanKeys(family(false), prefix, next(prefix), keys::add);
    Set<String> found = new HashSet<>();
    for (byte[] key : keys) {
      byte[] bytes = raft(key);
      if (bytes != null) {
        found.add(InstallRecord.decode(bytes).directory());
      }
    }
    return found;
  }

  @Nullable GroupRecord group(GroupId id) throws RocksDBException {
    byte[] found = raft(LogKeys.group(id));
    return found == null ? null : GroupRecord.decode(found);
  }

  /** Gives the group a number and writes its record, synced. Does nothing if it has one. */
  synchronized void create(GroupId id, ReplicaSet members) throws RocksDBException {
    if (group(id) != null) {
      return;
    }
    byte[] next = raft(LogKeys.nextGroup());
    long number = next == null ? 1 : LogKeys.u64(next);
    try (Batch batch = batch()) {
      batch.put(LogKeys.nextGroup(), LogKeys.u64(number + 1));
      batch.put(LogKeys.group(id), new GroupRecord(number, members).encode());
      batch.commit(true);
    }
  }

  /** Removes everything of a group in one synced write. Does nothing if it has no record. */
  synchronized void destroy(GroupId id) throws RocksDBException {
    GroupRecord record = group(id);
    if (record == null) {
      return;
    }
    long number = record.number();
    try (Batch batch = batch()) {
      batch.deleteEntries(number, 0, -1);
      batch.delete(LogKeys.group(id)).delete(LogKeys.hardState(number));
      batch.delete(LogKeys.firstIndex(number)).delete(LogKeys.checkpoint(number));
      batch.delete(LogKeys.install(number)).commit(true);
    }
  }

  byte @Nullable [] raft(byte[] key) throws RocksDBException {
    return db.get(family(false), key);
  }

  byte @Nullable [] entry(long group, long index) throws RocksDBException {
    return db.get(family(true), LogKeys.entry(group, index));
  }

  /** Index of the group's last entry, 0 if it has none. */
  long lastIndex(long group, long firstIndex) throws RocksDBException {
    byte[] lower = LogKeys.entry(group, firstIndex);
    try (Slice bound = new Slice(lower);
        ReadOptions read = new ReadOptions().setIterateLowerBound(bound);
        RocksIterator it = db.newIterator(family(true), read)) {
      it.seekForPrev(LogKeys.entry(group, -1));
      it.status();
      return it.isValid() ? LogKeys.indexOf(it.key()) : 0;
    }
  }

  /** Hands over the group's configuration entries from an index on, in order. */
  void configurations(long group, long firstIndex, ObjLongConsumer<byte[]> each)
      throws RocksDBException {
    List<Long> indexes = new ArrayList<>();
    scanKeys(
        family(false),
        LogKeys.configuration(group, firstIndex),
        LogKeys.configuration(group, -1),
        key -> indexes.add(LogKeys.indexOf(key)));
    for (long index : indexes) {
      byte[] bytes = entry(group, index);
      if (bytes != null) {
        each.accept(bytes, index);
      }
    }
  }

  private void scanKeys(
      ColumnFamilyHandle family, byte[] from, byte[] to, java.util.function.Consumer<byte[]> each)
      throws RocksDBException {
    try (Slice bound = new Slice(to);
        ReadOptions read = new ReadOptions().setIterateUpperBound(bound);
        RocksIterator it = db.newIterator(family, read)) {
      for (it.seek(from); it.isValid(); it.next()) {
        each.accept(it.key());
      }
      it.status();
    }
  }

  private static byte[] next(byte[] prefix) {
    byte[] next = Arrays.copyOf(prefix, prefix.length);
    next[next.length - 1]++;
    return next;
  }

  private static byte[] ascii(String name) {
    return name.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  private ColumnFamilyHandle family(boolean entries) {
    return families.get(entries ? 1 : 2);
  }

  Batch batch() {
    return new Batch();
  }

  /** Writes that become visible and durable together. For one thread; close it. */
  final class Batch implements AutoCloseable {
    private final WriteBatch writes = new WriteBatch();

    Batch put(byte[] key, byte[] value) throws RocksDBException {
      writes.put(family(false), key, value);
      return this;
    }

    Batch delete(byte[] key) throws RocksDBException {
      writes.delete(family(false), key);
      return this;
    }

    Batch putEntry(long group, long index, byte[] bytes) throws RocksDBException {
      writes.put(family(true), LogKeys.entry(group, index), bytes);
      return this;
    }

    Batch markConfiguration(long group, long index) throws RocksDBException {
      return put(LogKeys.configuration(group, index), new byte[0]);
    }

    /** Removes entries of {@code [from, to)}; {@code to} -1 stands for the end. */
    Batch deleteEntries(long group, long from, long to) throws RocksDBException {
      writes.deleteRange(family(true), LogKeys.entry(group, from), LogKeys.entry(group, to));
      writes.deleteRange(
          family(false), LogKeys.configuration(group, from), LogKeys.configuration(group, to));
      return this;
    }

    /**
     * Writes the batch.
     *
     * @param sync true if what it says must survive a power loss once this returns
     */
    void commit(boolean sync) throws RocksDBException {
      db.write(sync ? durable : buffered, writes);
    }

    @Override
    public void close() {
      writes.close();
    }
  }

  @Override
  public void close() {
    families.forEach(ColumnFamilyHandle::close);
    db.close();
    closeOptions();
  }

  private void closeOptions() {
    options.forEach(RocksObject::close);
  }
}
