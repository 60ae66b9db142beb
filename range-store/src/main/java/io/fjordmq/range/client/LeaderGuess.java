package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which replica of a range to ask. Immutable. */
final class LeaderGuess {
  private final List<NodeId> voters;
  private final int position;

  private LeaderGuess(List<NodeId> voters, int position) {
    this.voters = voters;
    this.position = position;
  }

  static LeaderGuess first(RangeDescriptor descriptor) {
    List<NodeId> voters = new ArrayList<>(descriptor.replicas().voters());
    voters.sort(Comparator.comparing(NodeId::value));
    return new LeaderGuess(voters, 0);
  }

  NodeId node() {
    return voters.get(position);
  }

  /** After this one did not lead: the hinted one, or the next. */
  LeaderGuess after(@Nullable NodeId hint) {
    int hinted = hint == null ? -1 : voters.indexOf(hint);
    boolean usable = hinted >= 0 && hinted != position;
    return new LeaderGuess(voters, usable ? hinted : (position + 1) % voters.size());
  }

  /** Whether the hint names another replica that can be asked at once. */
  boolean isBetter(@Nullable NodeId hint) {
    return hint != null && !hint.equals(node()) && voters.contains(hint);
  }
}
