package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Every serving node is in an incarnation that no node knows to have ended, and is counted by every
 * other serving node. Check after every event.
 */
public final class ServingInvariant {
  private final Set<NodeIncarnation> endedIncarnations = new HashSet<>();
  private final Set<NodeId> removed = new HashSet<>();

  /** The view of each node at its last check, because most events do not change it. */
  private final Map<NodeId, View> lastViews = new HashMap<>();

  private int lastRunningCount;

  private record NodeIncarnation(NodeId node, long incarnation) {}

  private record View(Members members, long incarnation, boolean serving) {
    boolean isCurrent(Membership node) {
      return members == node.members()
          && incarnation == node.incarnation()
          && serving == node.isServing();
    }
  }

  /**
   * @param running memberships of all running nodes
   * @throws AssertionError if two of them contradict each other
   */
  public void check(Collection<? extends Membership> running) {
    boolean changed = running.size() != lastRunningCount;
    lastRunningCount = running.size();
    for (Membership node : running) {
      View last = lastViews.get(node.self());
      if (last == null || !last.isCurrent(node)) {
        changed = true;
        lastViews.put(node.self(), new View(node.members(), node.incarnation(), node.isServing()));
        recordEnded(node.members());
      }
    }
    if (changed) {
      checkServing(running);
    }
  }

  private void checkServing(Collection<? extends Membership> running) {
    List<? extends Membership> serving = running.stream().filter(Membership::isServing).toList();
    serving.forEach(node -> checkServing(node, serving));
  }

  /** The nodes that any node knows to be permanently removed. */
  Set<NodeId> removed() {
    return removed;
  }

  /** Whether the cluster knows that this incarnation has ended. */
  public boolean hasEnded(NodeId node, long incarnation) {
    return removed.contains(node)
        || endedIncarnations.contains(new NodeIncarnation(node, incarnation));
  }

  private void recordEnded(Members members) {
    removed.addAll(members.removed().keySet());
    for (Member member : members.byNode().values()) {
      long ended = member.isAlive() ? member.incarnation() - 1 : member.incarnation();
      endedIncarnations.add(new NodeIncarnation(member.node(), ended));
    }
  }

  private void checkServing(Membership node, Collection<? extends Membership> serving) {
    if (hasEnded(node.self(), node.incarnation())) {
      throw new AssertionError(
          node.self()
              + " serves in an incarnation that the cluster knows to have ended: "
              + node.incarnation());
    }
    for (Membership other : serving) {
      if (!other.members().isAlive(node.self(), node.incarnation())) {
        throw new AssertionError(
            "%s serves and does not count %s, which serves in incarnation %d: %s"
                .formatted(other.self(), node.self(), node.incarnation(), other.members()));
      }
    }
  }
}
