package io.fjordmq.broker;

import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import io.fjordmq.broker.ops.ClusterStatus.RangeLine;
import io.fjordmq.broker.ops.ClusterStatus.ReplicaLine;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts together what {@code /status} shows. Thread-safe; does not block. */
final class ClusterView {
  private final ClusterNode node;
  private final RangeStore ranges;

  ClusterView(ClusterNode node, RangeStore ranges) {
    this.node = node;
    this.ranges = ranges;
  }

  ClusterStatus status() {
    List<RangeLine> lines = ranges.status().stream().map(ClusterView::line).toList();
    return new ClusterStatus(nodes(), lines, remarks());
  }

  private List<NodeLine> nodes() {
    NodeId leader = node.metadata().leadership().leader();
    NodeId self = node.identity().node();
    List<NodeLine> lines = new ArrayList<>();
    for (NodeRecord record : NodeRecord.all(node.metadata().view())) {
      lines.add(
          new NodeLine(
              record.node().value(),
              record.address().toString(),
              "up",
              record.incarnation(),
              record.node().equals(self),
              record.node().equals(leader)));
    }
    return lines;
  }

  private static RangeLine line(ReplicaStatus replica) {
    GroupStatus group = replica.group();
    @Nullable NodeId leader = group == null ? null : group.leadership().leader();
    Set<NodeId> voters =
        group == null ? replica.descriptor().replicas().voters() : group.replicas().voters();
    long lag = group == null ? -1 : Math.max(0, group.lastIndex() - replica.appliedIndex());
    return new RangeLine(
        replica.descriptor().id().toString(),
        leader == null ? null : leader.value(),
        voters.stream().map(voter -> new ReplicaLine(voter.value(), lag)).toList(),
        List.of(),
        replica.failure());
  }

  private List<String> remarks() {
    boolean single =
        ranges.status().stream()
            .map(ReplicaStatus::group)
            .anyMatch(group -> group != null && group.replicas().voters().size() == 1);
    return single
        ? List.of(
            "one voter: while a node is away its ranges cannot be used, and a node that is lost takes"
                + " its data along")
        : List.of();
  }
}
