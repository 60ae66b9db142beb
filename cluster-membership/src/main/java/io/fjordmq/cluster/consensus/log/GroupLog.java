package io.fjordmq.cluster.consensus.log;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.conf.ConfigurationEntry;
import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Raft log of one group inside the {@link SharedLog}.
 *
 * <p>A single jraft thread appends and truncates; any thread may read. A failed write is reported
 * through the return value, which makes jraft halt the replica.
 */
public final class GroupLog implements LogStorage {
  private static final Logger LOG = LoggerFactory.getLogger(GroupLog.class);

  /** Size of the largest entry that {@link #newest} may hold. */
  private static final int MAX_NEWEST_BYTES = 16 << 10;

  private final GroupId id;
  private final long group;
  private final SharedLog shared;
  private final GroupVote vote;
  private final ConsensusObserver observer;

  private volatile long firstIndex = 1;
  private volatile long lastIndex;

  /**
   * The last entry of the log; null if it is large or was not appended by this process. jraft asks
   * for its term whenever it sends or receives the entry after it, and keeps only entries in memory
   * that have not been applied. Without this copy, it would read each of them from the database.
   */
  private volatile @Nullable EncodedEntry newest;

  private record EncodedEntry(long index, byte[] bytes) {}

  public GroupLog(
      GroupId id,
      GroupRecord record,
      SharedLog shared,
      GroupVote vote,
      ConsensusObserver observer) {
    this.id = id;
    this.group = record.number();
    this.shared = shared;
    this.vote = vote;
    this.observer = observer;
  }

  @Override
  public boolean init(LogStorageOptions options) {
    try {
      firstIndex = shared.firstIndex(group);
      lastIndex = shared.lastIndex(group, firstIndex);
      // Without these entries, jraft would not know the members and would never elect a leader.
      ConfigurationManager configurations = options.getConfigurationManager();
      shared.forEachConfiguration(
          group, firstIndex, bytes -> configurations.add(configuration(bytes)));
      return true;
    } catch (RocksDBException | MalformedBytesException e) {
      LOG.error("Cannot read the Raft log group={}", id, e);
      return false;
    }
  }

  public static ConfigurationEntry configuration(byte[] bytes) {
    LogEntry entry = EntryCodec.decode(bytes);
    Configuration old =
        entry.getOldPeers() == null
            ? new Configuration()
            : new Configuration(entry.getOldPeers(), entry.getOldLearners());
    return new ConfigurationEntry(
        entry.getId(), new Configuration(entry.getPeers(), entry.getLearners()), old);
  }

  @Override
  public void shutdown() {
    // The database belongs to the host.
  }

  @Override
  public long getFirstLogIndex() {
    return firstIndex;
  }

  @Override
  public long getLastLogIndex() {
    return lastIndex;
  }

  @Override
  public @Nullable LogEntry getEntry(long index) {
    if (index < firstIndex || index > lastIndex) {
      return null;
    }
    try {
      EncodedEntry last = newest;
      byte[] bytes =
          last != null && last.index() == index ? last.bytes() : shared.getEntry(group, index);
      return bytes == null ? null : EntryCodec.decode(bytes);
    } catch (RocksDBException | MalformedBytesException e) {
      LOG.error(
          "Cannot read a Raft log entry: {} group={} index={}",
          e.getMessage(),
          id,
          index,
          e instanceof NewerFormatException ? null : e);
      return null;
    }
  }

  @Deprecated
  @Override
  public long getTerm(long index) {
    LogEntry entry = getEntry(index);
    return entry == null ? 0 : entry.getId().getTerm();
  }

  @Override
  public boolean appendEntry(LogEntry entry) {
    return appendEntries(List.of(entry)) == 1;
  }

  @Override
  public int appendEntries(@Nullable List<LogEntry> entries) {
    if (entries == null || entries.isEmpty()) {
      return 0;
    }
    // Once this returns, the leader counts the entries as stored. If a crash then lost the term, a
    // leader of an earlier term could overwrite them.
    if (!vote.retryFailedSave()) {
      return 0;
    }
    try (SharedLog.Batch batch = shared.batch()) {
      long bytes = 0;
      byte[] last = {};
      for (LogEntry entry : entries) {
        last = add(batch, entry);
        bytes += last.length;
      }
      long start = System.nanoTime();
      batch.commit(true);
      observer.onAppended(id, entries.size(), bytes, System.nanoTime() - start);
      long end = entries.get(entries.size() - 1).getId().getIndex();
      newest = last.length <= MAX_NEWEST_BYTES ? new EncodedEntry(end, last) : null;
      lastIndex = end;
      shared.recordEnd(group, lastIndex);
      return entries.size();
    } catch (RocksDBException e) {
      LOG.warn(
          "Failed to append log entries: {} group={} entries={}",
          e.getMessage(),
          id,
          entries.size());
      return 0;
    }
  }

  private byte[] add(SharedLog.Batch batch, LogEntry entry) throws RocksDBException {
    long index = entry.getId().getIndex();
    byte[] bytes = EntryCodec.encode(entry);
    batch.putEntry(group, index, bytes);
    if (entry.getType() == EntryType.ENTRY_TYPE_CONFIGURATION) {
      batch.markConfiguration(group, index);
    }
    return bytes;
  }

  /**
   * Truncates without a sync: after a crash the log may hold more entries than necessary, which is
   * harmless.
   */
  @Override
  public boolean truncatePrefix(long firstIndexKept) {
    if (firstIndexKept <= firstIndex) {
      return true;
    }
    try (SharedLog.Batch batch = shared.batch()) {
      batch.deleteEntries(group, firstIndex, firstIndexKept);
      batch.put(LogKeys.firstIndex(group), LogKeys.u64(firstIndexKept)).commit(false);
      firstIndex = firstIndexKept;
      if (lastIndex < firstIndexKept) {
        lastIndex = 0;
      }
      return true;
    } catch (RocksDBException e) {
      LOG.error(
          "Cannot truncate the start of the Raft log group={} firstIndexKept={}",
          id,
          firstIndexKept,
          e);
      return false;
    }
  }

  /**
   * Truncates with a sync, because entries that a new leader has replaced must not reappear after a
   * crash.
   */
  @Override
  public boolean truncateSuffix(long lastIndexKept) {
    newest = null;
    try (SharedLog.Batch batch = shared.batch()) {
      shared.recordTruncation(group, lastIndexKept);
      batch.deleteEntriesFrom(group, lastIndexKept + 1);
      batch.commit(true);
      lastIndex = lastIndexKept < firstIndex ? 0 : Math.min(lastIndex, lastIndexKept);
      return true;
    } catch (RocksDBException | IOException e) {
      LOG.error(
          "Cannot truncate the end of the Raft log group={} lastIndexKept={}",
          id,
          lastIndexKept,
          e);
      return false;
    }
  }

  @Override
  public boolean reset(long nextLogIndex) {
    if (nextLogIndex <= 0) {
      throw new IllegalArgumentException("nextLogIndex must be positive, not " + nextLogIndex);
    }
    newest = null;
    try (SharedLog.Batch batch = shared.batch()) {
      shared.recordTruncation(group, 0);
      batch.deleteEntriesFrom(group, 0);
      batch.put(LogKeys.firstIndex(group), LogKeys.u64(nextLogIndex)).commit(true);
      firstIndex = nextLogIndex;
      lastIndex = 0;
      return true;
    } catch (RocksDBException | IOException e) {
      LOG.error("Cannot reset the Raft log group={} nextIndex={}", id, nextLogIndex, e);
      return false;
    }
  }
}
