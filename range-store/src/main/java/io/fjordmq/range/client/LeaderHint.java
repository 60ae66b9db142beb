package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which replica of a range to ask. Immutable. */
final class LeaderHint {
  private final List<NodeId> voters;

  /** Where the turn through the voters stands. */
  private final int position;

  /** May be a voter that only the replicas know of yet. */
  private final NodeId node;

  private LeaderHint(List<NodeId> voters, int position, NodeId node) {
    this.voters = voters;
    this.position = position;
    this.node = node;
  }

  static LeaderHint first(RangeDescriptor descriptor) {
    return turn(sorted(descriptor), 0);
  }

  private static LeaderHint turn(List<NodeId> voters, int position) {
    return new LeaderHint(voters, position, voters.get(position));
  }

  private static List<NodeId> sorted(RangeDescriptor descriptor) {
    List<NodeId> voters = new ArrayList<>(descriptor.replicas().voters());
    voters.sort(Comparator.comparing(NodeId::value));
    return voters;
  }

  NodeId node() {
    return node;
  }

  /** After this one did not lead: the hinted one, or the next. */
  LeaderHint after(@Nullable NodeId hint) {
    if (hint == null || hint.equals(node)) {
      return turn(voters, (position + 1) % voters.size());
    }
    int known = voters.indexOf(hint);
    return new LeaderHint(voters, known < 0 ? position : known, hint);
  }

  /** The voters are others now: the same one, if it still votes. */
  LeaderHint among(RangeDescriptor descriptor) {
    List<NodeId> now = sorted(descriptor);
    return turn(now, Math.max(now.indexOf(node), 0));
  }

  /** Whether the hint names another replica that can be asked at once. */
  boolean isBetter(@Nullable NodeId hint) {
    return hint != null && !hint.equals(node);
  }
}
