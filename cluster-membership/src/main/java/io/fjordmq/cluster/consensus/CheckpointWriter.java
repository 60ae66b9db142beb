package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.google.protobuf.Message;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * jraft's idea of writing a snapshot, reduced to its meta: the data is the state's own database,
 * which is durable by the time this is told to save.
 */
final class CheckpointWriter extends SnapshotWriter {
  private static final long NOT_SAID = -1;

  private final GroupSnapshots snapshots;
  private long applied = NOT_SAID;

  CheckpointWriter(GroupSnapshots snapshots) {
    this.snapshots = snapshots;
  }

  /**
   * To be called before anything is saved.
   *
   * @param lastApplied last entry that was given to the state
   */
  void covers(long lastApplied) {
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
    if (applied == NOT_SAID) {
      throw new IllegalStateException("a checkpoint of nobody knows what");
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
