package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import org.jspecify.annotations.Nullable;

/** This replica's own checkpoint: read at start, and offered to replicas that are far behind. */
final class CheckpointReader extends MetaReader {
  private final SnapshotExchange exchange;
  private final ReplicatedState state;
  private @Nullable Long offer;

  CheckpointReader(SnapshotMeta meta, SnapshotExchange exchange, ReplicatedState state) {
    super(meta);
    this.exchange = exchange;
    this.state = state;
  }

  @Override
  public String generateURIForCopy() {
    long id = exchange.offer(state, load());
    offer = id;
    return exchange.uri(id);
  }

  @Override
  public void close() {
    if (offer != null) {
      exchange.withdraw(offer);
    }
  }
}
