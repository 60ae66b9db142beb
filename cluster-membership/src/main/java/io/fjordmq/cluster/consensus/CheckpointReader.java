package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import org.jspecify.annotations.Nullable;

/** This replica's own checkpoint: read at start, and offered to replicas that are far behind. */
final class CheckpointReader extends MetaReader {
  private final SnapshotExchange exchange;
  private final SnapshotExport.Exporter exporter;
  private @Nullable Long offer;

  CheckpointReader(SnapshotMeta meta, SnapshotExchange exchange, SnapshotExport.Exporter exporter) {
    super(meta);
    this.exchange = exchange;
    this.exporter = exporter;
  }

  @Override
  public String generateURIForCopy() {
    long id = exchange.offer(exporter, load());
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
