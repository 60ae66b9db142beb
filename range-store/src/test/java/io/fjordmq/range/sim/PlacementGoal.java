package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Checks that every range is in the desired state once the disturbances have ended. */
final class PlacementGoal {
  private final PlacementCluster cluster;
  private final SimCounts counts;

  PlacementGoal(PlacementCluster cluster, SimCounts counts) {
    this.cluster = cluster;
    this.counts = counts;
  }

  /**
   * Every range has the desired replicas and all nodes know it, leaders are balanced, no range is
   * frozen, and nothing remains of removed ranges.
   */
  boolean isReached() {
    Set<RangeId> known = new HashSet<>();
    cluster.ranges().forEach(range -> known.add(range.id()));
    for (NodeId id : cluster.up()) {
      for (ReplicaStatus replica : cluster.node(id).ranges().store().status()) {
        if (replica.failure() != null) {
          return false;
        }
        if (replica.merging() != null || !known.contains(replica.descriptor().id())) {
          return false;
        }
      }
    }
    Map<NodeId, Integer> leads = new HashMap<>();
    for (RangeDescriptor range : cluster.ranges()) {
      ReplicaStatus leader = cluster.leaderOf(range.id());
      if (leader == null || !hasDesiredReplicas(range, leader)) {
        return false;
      }
      leads.merge(leader.node(), 1, Integer::sum);
    }
    return StoredRanges.coverAllKeys(cluster.ranges())
        && (cluster.pins().isEmpty() ? isBalanced(leads) : PlacementPins.areFollowed(cluster));
  }

  private boolean isBalanced(Map<NodeId, Integer> leads) {
    return (cluster.ranges().size() != 2 || leads.size() == 2) // otherwise no node leads both
        && areVotesEven();
  }

  private boolean areVotesEven() {
    boolean even =
        cluster.isOnEveryNode()
            || new VoteBalance(cluster.up(), cluster.ranges(), cluster.loads()).isEven();
    counts.unevenChecks += even ? 0 : 1;
    return even;
  }

  private boolean hasDesiredReplicas(RangeDescriptor range, ReplicaStatus leader) {
    Set<NodeId> up = cluster.up();
    boolean enough =
        up.size() >= cluster.voters()
            ? leader.voters().size() == cluster.voters() && up.containsAll(leader.voters())
            : leader.voters().containsAll(up);
    Set<NodeId> others = new HashSet<>(up);
    others.removeAll(leader.voters());
    boolean learning = leader.learners().equals(cluster.isOnEveryNode() ? others : Set.of());
    return enough && learning && up.stream().allMatch(id -> isPublished(id, range, leader));
  }

  /** Whether the node knows the range, and has a replica if and only if it is a member. */
  private boolean isPublished(NodeId id, RangeDescriptor range, ReplicaStatus leader) {
    PlacementNode node = cluster.node(id);
    RangeDirectory.Published published = node.running().directory().ranges().get(range.id());
    boolean member = leader.voters().contains(id) || leader.learners().contains(id);
    return published != null
        && published.descriptor().epoch().version() == leader.descriptor().epoch().version()
        && published.descriptor().interval().equals(leader.descriptor().interval())
        && published.descriptor().replicas().voters().equals(leader.voters())
        && published.descriptor().replicas().learners().equals(leader.learners())
        && node.ranges().store().localReplicas().retired().isEmpty()
        && member == (node.ranges().status(range.id()) != null);
  }

  /** Whether all replicas of each range hold the same rows. */
  boolean areReplicasEqual() {
    return cluster.ranges().stream().allMatch(this::areReplicasEqual);
  }

  private boolean areReplicasEqual(RangeDescriptor range) {
    ReplicaStatus leader = cluster.leaderOf(range.id());
    if (leader == null) {
      return false;
    }
    Set<NodeId> members = new HashSet<>(leader.voters());
    members.addAll(leader.learners());
    members.retainAll(cluster.up());
    return members.stream().map(id -> cluster.node(id).ranges().rows(range.id())).distinct().count()
        == 1;
  }

  /** Describes which node holds what, to diagnose why the goal is not reached. */
  String describeNodes() {
    StringBuilder text = new StringBuilder();
    cluster.ranges().forEach(range -> text.append("\npublished ").append(range));
    cluster.states().forEach((id, state) -> text.append("\n").append(id).append(' ').append(state));
    for (NodeId id : cluster.up()) {
      PlacementNode node = cluster.node(id);
      RangeStore store = node.ranges().store();
      for (ReplicaStatus replica : store.status()) {
        GroupStatus group = replica.group();
        text.append(
            "\n%s %s %s term %d at %d of %d: %s version %d, voters %s, learners %s, %s"
                .formatted(
                    id,
                    replica.descriptor().id(),
                    replica.role(),
                    PlacementCluster.term(replica),
                    replica.appliedIndex(),
                    group == null ? -1 : group.lastIndex(),
                    replica.descriptor().interval(),
                    replica.descriptor().epoch().version(),
                    replica.voters(),
                    replica.learners(),
                    replica.failure() != null
                        ? replica.failure() + (replica.broken() ? ", broken" : "")
                        : replica.merging()));
      }
      text.append(
          "\n%s retired %s, metadata %s"
              .formatted(
                  id, store.localReplicas().retired(), node.running().metadata().leadership()));
    }
    return text.toString();
  }
}
