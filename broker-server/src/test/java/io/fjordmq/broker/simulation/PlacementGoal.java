package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.router.RouteReplicas;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether all nodes serve and every range is placed correctly: the state to reach after faults. */
final class PlacementGoal {
  private final SimClusterNodes nodes;

  PlacementGoal(SimClusterNodes nodes) {
    this.nodes = nodes;
  }

  boolean isReached() {
    return firstDifference() == null;
  }

  /** The first difference from the goal; null if it is reached. */
  @Nullable String firstDifference() {
    List<ClusterMachine> all = nodes.machines();
    for (ClusterMachine machine : all) {
      SimNodeProcess life = machine.nodeProcess();
      if (life == null || !life.membership().isServing()) {
        return machine.id()
            + " does not serve: "
            + (life == null ? "it is down" : life.membership().notServingReason());
      }
      for (ClusterMachine other : all) {
        var known = life.membership().members().find(other.id());
        if (known == null || !known.address().equals(other.address())) {
          return machine.id() + " believes that " + other.id() + " is at " + known;
        }
      }
    }
    for (ClusterMachine machine : all) {
      for (ReplicaStatus replica : machine.ranges().store().status()) {
        if (replica.failure() != null) {
          return machine.id() + " has a halted replica: " + replica;
        }
        if (replica.merging() != null || !ranges().contains(replica.descriptor().id())) {
          return machine.id() + " still has " + replica;
        }
      }
    }
    if (!nodes.damaged().byRange().isEmpty()) {
      return "not rebuilt: " + nodes.damaged().byRange();
    }
    for (RangeId range : ranges()) {
      String missing = firstDifference(range);
      if (missing != null) {
        return range + ": " + missing + replicaStates(range);
      }
    }
    return null;
  }

  private List<RangeId> ranges() {
    return Objects.requireNonNull(nodes.machines().get(0).nodeProcess())
        .directory()
        .ranges()
        .keySet()
        .stream()
        .sorted((a, b) -> a.toString().compareTo(b.toString()))
        .toList();
  }

  private @Nullable String firstDifference(RangeId range) {
    ReplicaStatus leader = nodes.leader(range);
    if (leader == null) {
      return "no leader";
    }
    Set<NodeId> all = new HashSet<>(nodes.machines().stream().map(ClusterMachine::id).toList());
    int wanted = Math.min(nodes.voters(), all.size());
    if (leader.voters().size() != wanted) {
      return leader.voters() + " vote, not " + wanted;
    }
    all.removeAll(leader.voters());
    Set<NodeId> learners = range.store().equals(RouteReplicas.STORE) ? all : Set.of();
    if (!leader.learners().equals(learners)) {
      return leader.learners() + " learn, not " + learners;
    }
    for (ClusterMachine machine : nodes.machines()) {
      boolean member =
          leader.voters().contains(machine.id()) || leader.learners().contains(machine.id());
      if (member != (machine.ranges().status(range) != null)) {
        return machine.id() + (member ? " has no replica" : " has a replica without purpose");
      }
      if (machine.ranges().store().localReplicas().retired().contains(range)) {
        return machine.id() + " has not forgotten the replica it had";
      }
      RangeDirectory.Published published =
          Objects.requireNonNull(machine.nodeProcess()).directory().ranges().get(range);
      if (published == null || !isPublished(published.descriptor(), leader)) {
        return machine.id() + " is told " + published;
      }
    }
    return null;
  }

  private static boolean isPublished(RangeDescriptor range, ReplicaStatus leader) {
    return range.replicas().voters().equals(leader.voters())
        && range.replicas().learners().equals(leader.learners());
  }

  /** The placement of all replicas, to analyze a timeout. */
  private String replicaStates(RangeId range) {
    List<String> lines = new ArrayList<>();
    for (ClusterMachine machine : nodes.machines()) {
      ReplicaStatus replica = machine.ranges().status(range);
      lines.add(
          machine.id()
              + ": "
              + replica
              + ", retired "
              + machine.ranges().store().localReplicas().retired());
    }
    return "\n" + String.join("\n", lines);
  }
}
