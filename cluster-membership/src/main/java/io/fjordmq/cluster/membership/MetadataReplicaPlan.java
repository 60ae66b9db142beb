package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Plans the replica set of the metadata: a pure function that returns the next step. Every member
 * has a replica. With 1, 2, 3 or 4 members that are not LEAVING, there are 1, 2, 3 or 3 voters;
 * with 5 or more, there are 5. A voter that is DOWN or LEAVING is replaced as soon as a live
 * learner can take its place, preferably one that is UP. A removed node has no replica. Each step
 * changes one node, and no step leaves the live voters without a majority.
 */
final class MetadataReplicaPlan {
  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::value);

  private MetadataReplicaPlan() {}

  static int targetVoterCount(int members) {
    if (members >= 5) {
      return 5;
    }
    return Math.min(Math.max(members, 1), 3);
  }

  /**
   * @param leader never removed from the voters
   * @return null if no change is needed
   */
  static @Nullable ReplicaSet next(ReplicaSet current, Members members, NodeId leader) {
    if (members.find(leader) == null) {
      return null; // the first node of a cluster has not registered yet
    }
    Set<NodeId> alive = members.alive();
    Set<NodeId> leaving = members.inState(Member.State.LEAVING);
    Set<NodeId> up = members.inState(Member.State.UP);
    Predicate<NodeId> stays = node -> alive.contains(node) && !leaving.contains(node);
    Predicate<NodeId> hasReplica =
        node -> current.voters().contains(node) || current.learners().contains(node);
    int targetVoters = targetVoterCount(members.byNode().size() - leaving.size());
    long stayingVoters = current.voters().stream().filter(stays).count();

    Optional<NodeId> removed = first(current.learners(), members.removed()::containsKey);
    if (removed.isPresent()) {
      return new ReplicaSet(current.voters(), without(current.learners(), removed.get()));
    }
    Optional<NodeId> added = first(alive, node -> !hasReplica.test(node));
    if (added.isPresent()) {
      return new ReplicaSet(current.voters(), with(current.learners(), added.get()));
    }
    // Prefers UP learners: one with a full or slow disk may never catch up and would be retried
    // forever.
    Optional<NodeId> successor =
        first(current.learners(), up::contains).or(() -> first(current.learners(), stays));
    if (stayingVoters < targetVoters && successor.isPresent()) {
      return new ReplicaSet(
          with(current.voters(), successor.get()), without(current.learners(), successor.get()));
    }
    removed = first(current.voters(), members.removed()::containsKey);
    if (removed.isPresent()) {
      return keepsMajority(current, removed.get(), alive)
          ? new ReplicaSet(without(current.voters(), removed.get()), current.learners())
          : null;
    }
    Optional<NodeId> demoted =
        first(current.voters(), node -> leaving.contains(node) && !node.equals(leader));
    if (demoted.isEmpty() && current.voters().size() > targetVoters) {
      demoted =
          first(current.voters(), node -> !alive.contains(node))
              .or(
                  () ->
                      first(current.voters(), node -> !(up.contains(node) || node.equals(leader))))
              .or(() -> first(current.voters(), node -> !node.equals(leader)));
    }
    return demoted.isPresent() && keepsMajority(current, demoted.get(), alive)
        ? new ReplicaSet(
            without(current.voters(), demoted.get()), with(current.learners(), demoted.get()))
        : null;
  }

  /** Returns whether a majority of the voters is alive without this node. */
  static boolean keepsMajorityWithout(NodeId node, ReplicaSet current, Members members) {
    Set<NodeId> rest = without(current.voters(), node);
    return 2 * rest.stream().filter(members.alive()::contains).count() > current.voters().size();
  }

  /**
   * Returns the next leader if the current one is being decommissioned; null if it can continue.
   */
  static @Nullable NodeId successor(ReplicaSet current, Members members, NodeId leader) {
    return members.inState(Member.State.LEAVING).contains(leader)
        ? first(current.voters(), members.inState(Member.State.UP)::contains).orElse(null)
        : null;
  }

  private static boolean keepsMajority(ReplicaSet current, NodeId leaving, Set<NodeId> alive) {
    Set<NodeId> rest = without(current.voters(), leaving);
    return 2 * rest.stream().filter(alive::contains).count() > rest.size();
  }

  private static Optional<NodeId> first(Collection<NodeId> nodes, Predicate<NodeId> condition) {
    return nodes.stream().filter(condition).min(BY_NAME);
  }

  private static Set<NodeId> with(Set<NodeId> nodes, NodeId node) {
    Set<NodeId> result = new HashSet<>(nodes);
    result.add(node);
    return result;
  }

  private static Set<NodeId> without(Set<NodeId> nodes, NodeId node) {
    Set<NodeId> result = new HashSet<>(nodes);
    result.remove(node);
    return result;
  }
}
