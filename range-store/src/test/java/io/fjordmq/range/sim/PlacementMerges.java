package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Merges that are asked for while a cluster is in trouble. */
final class PlacementMerges {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementMerges.class);

  private final Simulation simulation;
  private final PlacementCluster cluster;
  private final SimCounts counts;
  private final boolean hasty;
  private final Random operator;

  /**
   * @param hasty a defect: somebody does not wait until all replicas stand still
   */
  PlacementMerges(
      Simulation simulation, PlacementCluster cluster, SimCounts counts, boolean hasty) {
    this.simulation = simulation;
    this.cluster = cluster;
    this.counts = counts;
    this.hasty = hasty;
    this.operator = new Random(simulation.seed());
  }

  /** Any range takes in the one that follows, if there is one. */
  void ask() {
    PlacementNode leader = cluster.metadataLeader();
    for (int delay = 5; hasty && delay < 600; delay += 5) {
      simulation.schedule(delay, this::hurry);
    }
    if (leader != null) {
      RangeId range = cluster.anyRange().id();
      if (!hasty && operator.nextInt(6) == 0) {
        simulation.schedule(operator.nextInt(400), () -> cancel(leader, range));
      }
      leader
          .life()
          .driver()
          .merge(range)
          .whenComplete(
              (done, failure) -> {
                counts.merges += failure == null ? 1 : 0;
                counts.mergesGivenUp += failure == null ? 0 : 1;
              });
    }
  }

  /** An operator has changed his mind, whatever has come of it meanwhile. */
  private void cancel(PlacementNode leader, RangeId range) {
    if (leader.isUp()) {
      try {
        leader.life().driver().cancel(range);
        counts.canceled++;
      } catch (IllegalStateException nothingUnderWay) {
        LOG.debug("range {}: {}", range, nothingUnderWay.getMessage());
      }
    }
  }

  /** What stands still somewhere is taken in at once. */
  private void hurry() {
    for (NodeId id : cluster.up()) {
      for (ReplicaStatus right : cluster.node(id).ranges().store().status()) {
        ReplicaStatus left =
            right.merging() == null ? null : cluster.leaderOf(right.merging().left());
        GroupStatus group = left == null ? null : left.group();
        if (left != null && group != null) {
          cluster
              .node(left.node())
              .ranges()
              .store()
              .merges()
              .absorb(left.descriptor(), right.descriptor(), group.replicas());
        }
      }
    }
  }
}
