package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.google.protobuf.Message;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Implements jraft's snapshot writer by storing only the metadata. The data is in the state's own
 * database, which is durable before jraft calls {@link #saveMeta}.
 */
final class CheckpointWriter extends SnapshotWriter {
  private static final long NOT_SET = -1;

  private final GroupSnapshots snapshots;
  private long applied = NOT_SET;

  CheckpointWriter(GroupSnapshots snapshots) {
    this.snapshots = snapshots;
  }

  /**
   * Must be called before {@link #saveMeta}.
   *
   * @param lastApplied index of the last entry passed to the state
   */
  void setAppliedIndex(long lastApplied) {
    applied = lastApplied;
  }

  @Override
  public boolean init(@Nullable Void nothing) {
    return true;
  }

  @Override
  public void shutdown() {}

  @Override
  public boolean saveMeta(SnapshotMeta meta) {
    if (applied == NOT_SET) {
      throw new IllegalStateException("cannot save a checkpoint before its index is set");
    }
    return snapshots.save(new CheckpointRecord(applied, meta));
  }

  @Override
  public boolean addFile(String name, @Nullable Message meta) {
    return false;
  }

  @Override
  public boolean removeFile(String name) {
    return false;
  }

  @Override
  public void close() {}

  @Override
  public void close(boolean keepDataOnError) {}

  @Override
  public String getPath() {
    return snapshots.toString();
  }

  @Override
  public Set<String> listFiles() {
    return Set.of();
  }

  @Override
  public @Nullable Message getFileMeta(String name) {
    return null;
  }
}
