package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.google.protobuf.Message;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What jraft reads of a checkpoint: its meta. */
final class CheckpointReader extends SnapshotReader {
  private final CheckpointRecord checkpoint;

  CheckpointReader(CheckpointRecord checkpoint) {
    this.checkpoint = checkpoint;
  }

  @Override
  public boolean init(@Nullable Void nothing) {
    return true;
  }

  @Override
  public void shutdown() {}

  @Override
  public SnapshotMeta load() {
    return checkpoint.meta();
  }

  @Override
  public @Nullable String generateURIForCopy() {
    return null;
  }

  @Override
  public String getPath() {
    return "";
  }

  @Override
  public Set<String> listFiles() {
    return Set.of();
  }

  @Override
  public @Nullable Message getFileMeta(String name) {
    return null;
  }

  @Override
  public void close() {}
}
