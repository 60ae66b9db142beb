package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.google.protobuf.Message;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A snapshot reader that gives jraft only the metadata; other classes transfer the files. */
public abstract class MetaReader extends SnapshotReader {
  private final SnapshotMeta meta;

  public MetaReader(SnapshotMeta meta) {
    this.meta = meta;
  }

  @Override
  public final SnapshotMeta load() {
    return meta;
  }

  @Override
  public boolean init(@Nullable Void nothing) {
    return true;
  }

  @Override
  public void shutdown() {}

  @Override
  public void close() {}

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
}
