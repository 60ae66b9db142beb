package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.option.SnapshotCopierOptions;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import com.alipay.sofa.jraft.storage.SnapshotThrottle;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotCopier;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * "Light" snapshots of one replica. Saving one writes only a {@link CheckpointRecord}: the state is
 * durable in its own database. Only a replica that is too far behind for the log makes the leader
 * write an actual copy, on demand.
 */
final class GroupSnapshots implements SnapshotStorage {
  private static final Logger LOG = LoggerFactory.getLogger(GroupSnapshots.class);

  private final GroupId id;
  private final byte[] key;
  private final SharedLog shared;
  private volatile @Nullable CheckpointRecord checkpoint;

  GroupSnapshots(
      GroupId id, GroupRecord record, SharedLog shared, @Nullable CheckpointRecord checkpoint) {
    this.id = id;
    this.key = LogKeys.checkpoint(record.number());
    this.shared = shared;
    this.checkpoint = checkpoint;
  }

  /** Synced: right after it jraft truncates the log. */
  boolean save(CheckpointRecord record) {
    try (SharedLog.Batch batch = shared.batch()) {
      batch.put(key, record.encode()).commit(true);
      checkpoint = record;
      return true;
    } catch (RocksDBException e) {
      LOG.error("group {}: cannot save its checkpoint", id, e);
      return false;
    }
  }

  /** Index covered by the last checkpoint, 0 if there was none. */
  long coveredIndex() {
    CheckpointRecord last = checkpoint;
    return last == null ? 0 : last.meta().getLastIncludedIndex();
  }

  @Override
  public boolean init(@Nullable Void nothing) {
    return true;
  }

  @Override
  public void shutdown() {}

  @Override
  public boolean setFilterBeforeCopyRemote() {
    return false;
  }

  @Override
  public void setSnapshotThrottle(SnapshotThrottle throttle) {}

  @Override
  public SnapshotWriter create() {
    return new CheckpointWriter(this);
  }

  @Override
  public @Nullable SnapshotReader open() {
    CheckpointRecord last = checkpoint;
    return last == null ? null : new CheckpointReader(last);
  }

  @Override
  public @Nullable SnapshotReader copyFrom(String uri, SnapshotCopierOptions options) {
    return null;
  }

  @Override
  public @Nullable SnapshotCopier startToCopyFrom(String uri, SnapshotCopierOptions options) {
    return null;
  }

  @Override
  public String toString() {
    return "checkpoint of " + id;
  }
}
