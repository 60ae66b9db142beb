package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.util.List;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Merges that are requested, and changes that are canceled, while the cluster is disturbed. */
final class PlacementMerges {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementMerges.class);

  private final Simulation simulation;
  private final PlacementCluster cluster;
  private final SimCounts counts;
  private final boolean absorbsEarly;
  private final Random operator;

  /**
   * Whether an operator also cancels other changes in this run; the other runs stay as they were.
   */
  private final boolean cancelsOtherChanges;

  /**
   * @param absorbsEarly a defect: a range is absorbed before all replicas are frozen
   */
  PlacementMerges(
      Simulation simulation, PlacementCluster cluster, SimCounts counts, boolean absorbsEarly) {
    this.simulation = simulation;
    this.cluster = cluster;
    this.counts = counts;
    this.absorbsEarly = absorbsEarly;
    this.operator = new Random(simulation.seed());
    this.cancelsOtherChanges = !absorbsEarly && simulation.seed() % 3 == 0;
  }

  /** Merges a random range with the next one, if there is one. */
  void requestMerge() {
    PlacementNode leader = cluster.metadataLeader();
    for (int delay = 5; absorbsEarly && delay < 600; delay += 5) {
      simulation.schedule(delay, this::absorbImmediately);
    }
    if (leader != null) {
      RangeId range = cluster.randomRange().id();
      if (!absorbsEarly && operator.nextInt(6) == 0) {
        simulation.schedule(operator.nextInt(400), () -> cancel(leader, range));
      }
      leader
          .running()
          .driver()
          .merge(range)
          .whenComplete(
              (done, failure) -> {
                counts.merges += failure == null ? 1 : 0;
                counts.abandonedMerges += failure == null ? 0 : 1;
              });
    }
  }

  /** Cancels the change of a random range, regardless of its state. */
  void cancelRandomChange() {
    PlacementNode leader = cluster.metadataLeader();
    if (cancelsOtherChanges && leader != null && operator.nextInt(3) > 0) {
      List<RangeDescriptor> all = cluster.ranges();
      RangeId range = all.get(operator.nextInt(all.size())).id();
      simulation.schedule(operator.nextInt(400), () -> cancel(leader, range));
    }
  }

  /** Cancels a change as an operator would, regardless of its state. */
  private void cancel(PlacementNode leader, RangeId range) {
    if (leader.isUp()) {
      try {
        leader.running().driver().cancel(range);
        counts.canceledChanges++;
        counts.heldRanges += isHeld(leader, range) ? 1 : 0;
      } catch (IllegalStateException nothingUnderWay) {
        LOG.debug("range {}: {}", range, nothingUnderWay.getMessage());
      }
    }
  }

  private static boolean isHeld(PlacementNode leader, RangeId range) {
    return leader.running().driver().pending().stream()
        .anyMatch(step -> step.range().equals(range) && step.reason().startsWith("canceled by"));
  }

  /** Absorbs frozen ranges immediately. */
  private void absorbImmediately() {
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
