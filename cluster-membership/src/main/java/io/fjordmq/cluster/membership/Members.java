package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All nodes of the cluster at one version of the metadata. Immutable.
 *
 * @param version of the metadata
 * @param byNode every node that ever joined and was not removed
 * @param removed nodes that have gone for good, with the version that says so
 */
public record Members(long version, Map<NodeId, Member> byNode, Map<NodeId, Long> removed) {
  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::value);

  /** Keeps them in the order of their names, so that what is done for each can be repeated. */
  public Members {
    byNode = ordered(byNode);
    removed = ordered(removed);
  }

  /** Nobody has gone for good. */
  public Members(long version, Map<NodeId, Member> byNode) {
    this(version, byNode, Map.of());
  }

  private static <T> Map<NodeId, T> ordered(Map<NodeId, T> nodes) {
    NavigableMap<NodeId, T> ordered = new TreeMap<>(BY_NAME);
    ordered.putAll(nodes);
    return Collections.unmodifiableNavigableMap(ordered);
  }

  public @Nullable Member find(NodeId node) {
    return byNode.get(node);
  }

  /** Whether the cluster is this node: whoever joins does so through its log. */
  boolean isAlone(NodeId node) {
    return byNode.size() == 1 && byNode.containsKey(node);
  }

  /** The nodes in this state. */
  Set<NodeId> in(Member.State state) {
    return byNode.values().stream()
        .filter(member -> member.state() == state)
        .map(Member::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The version that says who was removed last; 0 if nobody ever was. */
  public long removedAsOf() {
    return removed.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** The nodes that are not DOWN. */
  public Set<NodeId> alive() {
    return byNode.values().stream()
        .filter(Member::isAlive)
        .map(Member::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The nodes that may serve clients: those that are alive, but for those still STARTING. */
  public Set<NodeId> counted() {
    return byNode.values().stream()
        .filter(Member::isCounted)
        .map(Member::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Whether this life of the node is over for sure; one that is not known yet is not. What it has
   * left behind may be cleared away.
   */
  public boolean isOver(NodeId node, long incarnation) {
    if (removed.containsKey(node)) {
      return true;
    }
    Member member = byNode.get(node);
    return member != null
        && (incarnation < member.incarnation()
            || (incarnation == member.incarnation() && !member.isAlive()));
  }

  /** Whether this very life of the node goes on. */
  public boolean lives(NodeId node, long incarnation) {
    Member member = byNode.get(node);
    return member != null && member.isAlive() && member.incarnation() == incarnation;
  }
}
