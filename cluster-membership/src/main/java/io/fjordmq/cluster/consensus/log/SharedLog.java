package io.fjordmq.cluster.consensus.log;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.LogLatency;
import io.fjordmq.cluster.consensus.RaftLogSettings;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.log.LogDatabase.Family;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The database that holds the Raft logs, terms and votes of all groups of a node.
 *
 * <p>Groups that write at the same time share an fsync: RocksDB's group commit combines concurrent
 * writers into one write and fsync of the write-ahead log. {@link LogKeys} defines the layout. This
 * class handles keys; {@link GroupLog} implements Raft's log on top of it.
 *
 * <p>Thread-safe; every call after {@link #close} throws.
 */
public final class SharedLog implements AutoCloseable {
  /** An index that sorts after every other index. */
  private static final long MAX_INDEX = -1;

  private final LogDatabase db;
  private final @Nullable LogEndMarkers endMarkers;
  private final LogHealth health;

  /**
   * Opens the database in a subdirectory, creating both if missing, and {@link LogEndMarkers} next
   * to it.
   *
   * @throws ConsensusException ({@code FAILED}) if it is in use, unreadable or has another format
   */
  public static SharedLog open(Path directory, RaftLogSettings settings) {
    LogDatabase db = null;
    LogEndMarkers endMarkers = null;
    try {
      Path database = directory.resolve("log");
      Files.createDirectories(database);
      db = new LogDatabase(database, settings);
      // Without fsync there are no guarantees, and the markers could be ahead of the log.
      endMarkers = settings.fsync() ? LogEndMarkers.open(directory.resolve("log.ends")) : null;
      SharedLog log = new SharedLog(db, endMarkers, new LogHealth(database));
      log.checkFormat();
      return log;
    } catch (RocksDBException | IOException | MalformedBytesException e) {
      if (endMarkers != null) {
        endMarkers.close();
      }
      if (db != null) {
        db.close();
      }
      throw new ConsensusException(
          ConsensusException.Kind.FAILED, explain(directory, String.valueOf(e.getMessage())), e);
    }
  }

  private static String explain(Path directory, String cause) {
    return cause.contains("lock")
        ? "cannot open the Raft log in "
            + directory
            + ": in use by another process; stop that process or use another data directory ("
            + cause
            + ")"
        : "cannot open the Raft log in " + directory + ": " + cause;
  }

  private SharedLog(LogDatabase db, @Nullable LogEndMarkers endMarkers, LogHealth health) {
    this.db = db;
    this.endMarkers = endMarkers;
    this.health = health;
  }

  private void checkFormat() throws RocksDBException {
    byte[] found = getRaft(LogKeys.format());
    if (found == null) {
      writeFormat();
    } else {
      NewerFormatException.require("the log database", LogKeys.FORMAT_VERSION, found[0]);
    }
  }

  private void writeFormat() throws RocksDBException {
    try (Batch batch = batch()) {
      batch.put(LogKeys.format(), new byte[] {LogKeys.FORMAT_VERSION}).commit(true);
    }
  }

  /** Returns why the last write failed; null if it succeeded or there was none. */
  public @Nullable String failure() {
    return health.failure();
  }

  /** Returns the write latency since the previous call. */
  public LogLatency latency() {
    return health.latency();
  }

  /** Retries a write if the last one failed, because halted groups no longer write. */
  public void retryWrites() {
    if (health.failure() != null) {
      try {
        writeFormat();
      } catch (RocksDBException e) {
        // LogHealth has recorded the failure.
      }
    }
  }

  /** Returns all groups with a record, in no particular order. */
  public Set<GroupId> groups() throws RocksDBException {
    Set<GroupId> found = new HashSet<>();
    byte[] prefix = LogKeys.groups();
    for (byte[] key : db.keys(Family.RAFT, prefix, next(prefix))) {
      found.add(LogKeys.groupOf(key));
    }
    return found;
  }

  /**
   * Returns the directory names of the snapshots that were being installed when the last process
   * ended.
   */
  public Set<String> interruptedInstalls() throws RocksDBException {
    Set<String> found = new HashSet<>();
    byte[] prefix = LogKeys.installs();
    for (byte[] key : db.keys(Family.RAFT, prefix, next(prefix))) {
      byte[] bytes = getRaft(key);
      if (bytes != null) {
        found.add(InstallRecord.decode(bytes).directory());
      }
    }
    return found;
  }

  public @Nullable GroupRecord group(GroupId id) throws RocksDBException {
    byte[] found = getRaft(LogKeys.group(id));
    return found == null ? null : GroupRecord.decode(found);
  }

  /**
   * Assigns the group a number and writes its record, synced. Does nothing if the group already has
   * one.
   */
  public void create(GroupId id, ReplicaSet members) throws RocksDBException {
    create(id, members, null);
  }

  /**
   * Like {@link #create(GroupId, ReplicaSet)}, for a group whose log begins after a checkpoint.
   *
   * @param first the checkpoint; null if the group begins empty
   */
  public synchronized void create(GroupId id, ReplicaSet members, @Nullable CheckpointRecord first)
      throws RocksDBException {
    if (group(id) != null) {
      return;
    }
    byte[] next = getRaft(LogKeys.nextGroup());
    long number = next == null ? 1 : LogKeys.u64(next);
    try (Batch batch = batch()) {
      batch.put(LogKeys.nextGroup(), LogKeys.u64(number + 1));
      batch.put(LogKeys.group(id), new GroupRecord(number, members).encode());
      if (first != null) {
        HardState hardState = new HardState(first.meta().getLastIncludedTerm(), "");
        batch.put(LogKeys.hardState(number), hardState.encode());
        batch.put(LogKeys.checkpoint(number), first.encode());
        batch.put(LogKeys.firstIndex(number), LogKeys.u64(first.applied() + 1));
      }
      batch.commit(true);
    }
  }

  /** Deletes all data of a group in one synced write. Does nothing if there is no record. */
  public synchronized void destroy(GroupId id) throws RocksDBException {
    GroupRecord record = group(id);
    if (record == null) {
      return;
    }
    long number = record.number();
    // Numbers are never reused, so the LogEndMarkers marker of this group may stay.
    try (Batch batch = batch()) {
      batch.deleteEntries(number, 0, MAX_INDEX);
      batch.delete(LogKeys.group(id)).delete(LogKeys.hardState(number));
      batch.delete(LogKeys.firstIndex(number)).delete(LogKeys.checkpoint(number));
      batch.delete(LogKeys.install(number)).commit(true);
    }
  }

  /** Returns the row of a group's term and vote. */
  public GroupVote.Row hardState(long group) {
    byte[] key = LogKeys.hardState(group);
    return new GroupVote.Row() {
      @Override
      public byte @Nullable [] read() throws RocksDBException {
        return getRaft(key);
      }

      @Override
      public void write(byte[] value) throws RocksDBException {
        try (Batch batch = batch()) {
          batch.put(key, value).commit(true);
        }
      }
    };
  }

  public byte @Nullable [] getRaft(byte[] key) throws RocksDBException {
    return db.get(Family.RAFT, key);
  }

  byte @Nullable [] getEntry(long group, long index) throws RocksDBException {
    return db.get(Family.ENTRIES, LogKeys.entry(group, index));
  }

  /** Returns the first index that the group's log may hold; 1 unless it was truncated. */
  public long firstIndex(long group) throws RocksDBException {
    byte[] first = getRaft(LogKeys.firstIndex(group));
    return first == null ? 1 : LogKeys.u64(first);
  }

  /** Returns the index of the group's last entry; 0 if it has none. */
  public long lastIndex(long group, long firstIndex) throws RocksDBException {
    byte[] last =
        db.lastKey(
            Family.ENTRIES, LogKeys.entry(group, firstIndex), LogKeys.entry(group, MAX_INDEX));
    return last == null ? 0 : LogKeys.indexOf(last);
  }

  /** Records that the group's log is synced up to this entry. */
  void recordEnd(long group, long index) {
    if (endMarkers != null) {
      endMarkers.recordEnd(group, index);
    }
  }

  /** Must be called before the group's log is truncated after this entry. */
  void recordTruncation(long group, long index) throws IOException {
    if (endMarkers != null) {
      endMarkers.recordTruncation(group, index);
    }
  }

  /**
   * Returns the index up to which the group's log was synced, as far as known; see {@link
   * LogEndMarkers}.
   */
  public long syncedIndex(long group) throws IOException {
    return endMarkers == null ? 0 : endMarkers.syncedIndex(group);
  }

  /** Returns the file that an operator deletes to continue with a damaged log. */
  public @Nullable Path endMarkersFile() {
    return endMarkers == null ? null : endMarkers.path();
  }

  /**
   * Passes the bytes of the group's configuration entries, starting at an index, to the consumer in
   * order.
   */
  public void forEachConfiguration(long group, long firstIndex, Consumer<byte[]> consumer)
      throws RocksDBException {
    byte[] from = LogKeys.configuration(group, firstIndex);
    for (byte[] key : db.keys(Family.RAFT, from, LogKeys.configuration(group, MAX_INDEX))) {
      byte[] bytes = getEntry(group, LogKeys.indexOf(key));
      if (bytes != null) {
        consumer.accept(bytes);
      }
    }
  }

  private static byte[] next(byte[] prefix) {
    byte[] next = Arrays.copyOf(prefix, prefix.length);
    next[next.length - 1]++;
    return next;
  }

  public Batch batch() throws RocksDBException {
    return new Batch(db.batch(), health);
  }

  /** Writes that become visible and durable together. Not thread-safe; must be closed. */
  public static final class Batch implements AutoCloseable {
    private final LogDatabase.Batch writes;
    private final LogHealth health;

    private Batch(LogDatabase.Batch writes, LogHealth health) {
      this.writes = writes;
      this.health = health;
    }

    public Batch put(byte[] key, byte[] value) throws RocksDBException {
      writes.put(Family.RAFT, key, value);
      return this;
    }

    public Batch delete(byte[] key) throws RocksDBException {
      writes.delete(Family.RAFT, key);
      return this;
    }

    Batch putEntry(long group, long index, byte[] bytes) throws RocksDBException {
      writes.put(Family.ENTRIES, LogKeys.entry(group, index), bytes);
      return this;
    }

    Batch markConfiguration(long group, long index) throws RocksDBException {
      return put(LogKeys.configuration(group, index), new byte[0]);
    }

    /** Deletes the entries at and after an index. */
    Batch deleteEntriesFrom(long group, long from) throws RocksDBException {
      return deleteEntries(group, from, MAX_INDEX);
    }

    /** Deletes the entries of {@code [from, to)}. */
    Batch deleteEntries(long group, long from, long to) throws RocksDBException {
      writes.deleteRange(Family.ENTRIES, LogKeys.entry(group, from), LogKeys.entry(group, to));
      writes.deleteRange(
          Family.RAFT, LogKeys.configuration(group, from), LogKeys.configuration(group, to));
      return this;
    }

    /**
     * Writes the batch.
     *
     * @param sync whether the batch must survive a power failure once this method returns
     */
    public void commit(boolean sync) throws RocksDBException {
      health.onWriteStarted();
      try {
        writes.commit(sync);
        health.onWriteSucceeded();
      } catch (RocksDBException e) {
        health.onWriteFailed(e);
        throw e;
      } finally {
        health.onWriteFinished();
      }
    }

    @Override
    public void close() {
      writes.close();
    }
  }

  @Override
  public void close() {
    db.close();
    if (endMarkers != null) {
      endMarkers.close();
    }
  }
}
