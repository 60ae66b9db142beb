package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The replica of a range that is assumed to lead. Immutable. */
final class LeaderHint {
  private final List<NodeId> voters;

  /** Position in the round-robin over the voters. */
  private final int position;

  /** May be a voter that a replica named and the known descriptor does not list yet. */
  private final NodeId node;

  private LeaderHint(List<NodeId> voters, int position, NodeId node) {
    this.voters = voters;
    this.position = position;
    this.node = node;
  }

  static LeaderHint firstVoter(RangeDescriptor descriptor) {
    return at(sortedVoters(descriptor), 0);
  }

  private static LeaderHint at(List<NodeId> voters, int position) {
    return new LeaderHint(voters, position, voters.get(position));
  }

  private static List<NodeId> sortedVoters(RangeDescriptor descriptor) {
    List<NodeId> voters = new ArrayList<>(descriptor.replicas().voters());
    voters.sort(Comparator.comparing(NodeId::value));
    return voters;
  }

  NodeId node() {
    return node;
  }

  /** Returns the replica to try if this one does not lead: the hinted one, or the next voter. */
  LeaderHint next(@Nullable NodeId hint) {
    if (hint == null || hint.equals(node)) {
      return at(voters, (position + 1) % voters.size());
    }
    int known = voters.indexOf(hint);
    return new LeaderHint(voters, known < 0 ? position : known, hint);
  }

  /**
   * Returns the same replica after a change of voters if it is still a voter; otherwise the first
   * voter.
   */
  LeaderHint withVotersOf(RangeDescriptor descriptor) {
    List<NodeId> currentVoters = sortedVoters(descriptor);
    return at(currentVoters, Math.max(currentVoters.indexOf(node), 0));
  }

  /** Returns whether the hint names another replica, which can be tried immediately. */
  boolean isAnotherReplica(@Nullable NodeId hint) {
    return hint != null && !hint.equals(node);
  }
}
