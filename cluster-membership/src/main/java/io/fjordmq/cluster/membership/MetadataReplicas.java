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
 * Who should hold the metadata: a pure function to the next step. Every member holds them; voters
 * are 1, 2, 3, 3, 5 for 1, 2, 3, 4, 5 and more members. Each step changes one node, and none leaves
 * the voters that are alive without a majority.
 */
final class MetadataReplicas {
  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::value);

  private MetadataReplicas() {}

  static int wantedVoters(int members) {
    if (members >= 5) {
      return 5;
    }
    return Math.min(Math.max(members, 1), 3);
  }

  /**
   * @param leader is never taken from the voters
   * @return null if nothing is to be changed
   */
  static @Nullable ReplicaSet next(ReplicaSet current, Members members, NodeId leader) {
    if (members.find(leader) == null) {
      return null; // the first node of a cluster has not registered yet
    }
    Set<NodeId> alive = members.alive();
    Predicate<NodeId> holds =
        node -> current.voters().contains(node) || current.learners().contains(node);
    int wanted = wantedVoters(members.byNode().size());
    long living = current.voters().stream().filter(alive::contains).count();

    Optional<NodeId> newcomer = first(alive, node -> !holds.test(node));
    if (newcomer.isPresent()) {
      return new ReplicaSet(current.voters(), with(current.learners(), newcomer.get()));
    }
    Optional<NodeId> successor = first(current.learners(), alive::contains);
    if (living < wanted && successor.isPresent()) {
      return new ReplicaSet(
          with(current.voters(), successor.get()), without(current.learners(), successor.get()));
    }
    if (current.voters().size() > wanted) {
      Optional<NodeId> leaving =
          first(current.voters(), node -> !alive.contains(node))
              .or(() -> first(current.voters(), node -> !node.equals(leader)));
      if (leaving.isPresent() && keepsMajority(current, leaving.get(), alive)) {
        return new ReplicaSet(
            without(current.voters(), leaving.get()), with(current.learners(), leaving.get()));
      }
    }
    return null;
  }

  private static boolean keepsMajority(ReplicaSet current, NodeId leaving, Set<NodeId> alive) {
    Set<NodeId> rest = without(current.voters(), leaving);
    return 2 * rest.stream().filter(alive::contains).count() > rest.size();
  }

  private static Optional<NodeId> first(Collection<NodeId> nodes, Predicate<NodeId> which) {
    return nodes.stream().filter(which).min(BY_NAME);
  }

  private static Set<NodeId> with(Set<NodeId> nodes, NodeId one) {
    Set<NodeId> more = new HashSet<>(nodes);
    more.add(one);
    return more;
  }

  private static Set<NodeId> without(Set<NodeId> nodes, NodeId one) {
    Set<NodeId> less = new HashSet<>(nodes);
    less.remove(one);
    return less;
  }
}
