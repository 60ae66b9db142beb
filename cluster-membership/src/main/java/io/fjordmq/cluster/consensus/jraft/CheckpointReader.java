package io.fjordmq.cluster.consensus.jraft;

import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.transport.MetaReader;
import io.fjordmq.cluster.consensus.transport.SnapshotExchange;
import io.fjordmq.cluster.consensus.transport.SnapshotExport;
import org.jspecify.annotations.Nullable;

/** This replica's own checkpoint: read at startup, and offered to replicas that are far behind. */
final class CheckpointReader extends MetaReader {
  private final GroupId group;
  private final CheckpointRecord checkpoint;
  private final SnapshotExchange exchange;
  private final SnapshotExport.Exporter exporter;
  private @Nullable Long offer;

  CheckpointReader(
      GroupId group,
      CheckpointRecord checkpoint,
      SnapshotExchange exchange,
      SnapshotExport.Exporter exporter) {
    super(checkpoint.meta());
    this.group = group;
    this.checkpoint = checkpoint;
    this.exchange = exchange;
    this.exporter = exporter;
  }

  @Override
  public String generateURIForCopy() {
    long id = exchange.offer(group, exporter, checkpoint);
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
