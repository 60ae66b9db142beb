package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who serves lives, as far as anybody knows, and is counted by everybody else who serves. To be
 * asked after every event.
 */
public final class ServingInvariant {
  private final Set<Life> over = new HashSet<>();
  private final Set<NodeId> removed = new HashSet<>();

  /** What each node saw when it was last asked: most events change nothing of it. */
  private final Map<NodeId, Members> noted = new HashMap<>();

  private record Life(NodeId node, long incarnation) {}

  /**
   * @param running memberships of all nodes that run
   * @throws AssertionError if two of them contradict each other
   */
  public void check(Collection<? extends Membership> running) {
    running.forEach(this::noteEnded);
    List<? extends Membership> serving = running.stream().filter(Membership::isServing).toList();
    serving.forEach(node -> checkServing(node, serving));
  }

  /** Every node that anybody has seen as gone for good. */
  Set<NodeId> removed() {
    return removed;
  }

  /** Whether the cluster counts this life as over. */
  public boolean isOver(NodeId node, long incarnation) {
    return removed.contains(node) || over.contains(new Life(node, incarnation));
  }

  private void noteEnded(Membership seeing) {
    Members members = seeing.members();
    if (noted.put(seeing.self(), members) == members) {
      return;
    }
    removed.addAll(members.removed().keySet());
    for (Member member : members.byNode().values()) {
      long ended = member.isAlive() ? member.incarnation() - 1 : member.incarnation();
      over.add(new Life(member.node(), ended));
    }
  }

  private void checkServing(Membership node, Collection<? extends Membership> serving) {
    if (isOver(node.self(), node.incarnation())) {
      throw new AssertionError(
          node.self() + " serves in a life that the cluster counts as over: " + node.incarnation());
    }
    for (Membership other : serving) {
      if (!other.members().isAlive(node.self(), node.incarnation())) {
        throw new AssertionError(
            "%s serves and does not count %s, which serves in life %d: %s"
                .formatted(other.self(), node.self(), node.incarnation(), other.members()));
      }
    }
  }
}
