package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import java.util.Set;

/**
 * The members of a group: voters count towards the majority, learners only replicate.
 *
 * @param voters at least one node
 * @param learners disjoint from the voters
 */
public record ReplicaSet(Set<NodeId> voters, Set<NodeId> learners) {
  /**
   * @throws IllegalArgumentException if there are no voters, or a node is both voter and learner
   */
  public ReplicaSet {
    voters = Set.copyOf(voters);
    learners = Set.copyOf(learners);
    if (voters.isEmpty()) {
      throw new IllegalArgumentException("a Raft group must have at least one voter");
    }
    if (learners.stream().anyMatch(voters::contains)) {
      throw new IllegalArgumentException(
          "a node cannot be both voter and learner: voters=" + voters + " learners=" + learners);
    }
  }

  public static ReplicaSet ofVoters(NodeId... voters) {
    return new ReplicaSet(Set.of(voters), Set.of());
  }
}
