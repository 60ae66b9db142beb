package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.util.Set;

/**
 * The nodes that hold a group: voters decide, learners only follow.
 *
 * @param voters at least one
 * @param learners disjoint from voters
 */
public record ReplicaSet(Set<NodeId> voters, Set<NodeId> learners) {
  /**
   * @throws IllegalArgumentException if there is no voter, or a node is both
   */
  public ReplicaSet {
    voters = Set.copyOf(voters);
    learners = Set.copyOf(learners);
    if (voters.isEmpty()) {
      throw new IllegalArgumentException("a group needs at least one voter");
    }
    if (learners.stream().anyMatch(voters::contains)) {
      throw new IllegalArgumentException("a node cannot be voter and learner of one group");
    }
  }

  public static ReplicaSet ofVoters(NodeId... voters) {
    return new ReplicaSet(Set.of(voters), Set.of());
  }
}
