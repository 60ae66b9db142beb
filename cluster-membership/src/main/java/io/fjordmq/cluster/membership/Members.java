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
 * All nodes of the cluster at one metadata version. Immutable.
 *
 * @param version the metadata version
 * @param byNode all nodes that have joined and have not been removed
 * @param removed all removed nodes, with the metadata version that removed them
 */
public record Members(long version, Map<NodeId, Member> byNode, Map<NodeId, Long> removed) {
  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::value);

  /** Orders the nodes by id, so that iteration is deterministic. */
  public Members {
    byNode = ordered(byNode);
    removed = ordered(removed);
  }

  /** Creates members without removed nodes. */
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

  /**
   * Returns whether this node is the only member. The result is never stale, because another node
   * can join only through this node's log.
   */
  boolean isOnlyMember(NodeId node) {
    return byNode.size() == 1 && byNode.containsKey(node);
  }

  /** Returns the nodes in this state. */
  Set<NodeId> inState(Member.State state) {
    return byNode.values().stream()
        .filter(member -> member.state() == state)
        .map(Member::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the metadata version of the latest removal; 0 if no node was ever removed. */
  public long latestRemovalVersion() {
    return removed.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** Returns the nodes that are not DOWN. */
  public Set<NodeId> alive() {
    return byNode.values().stream()
        .filter(Member::isAlive)
        .map(Member::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the nodes that may serve clients: those alive except STARTING ones. */
  public Set<NodeId> counted() {
    return byNode.values().stream()
        .filter(Member::isCounted)
        .map(Member::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns whether this incarnation of the node has definitely ended, so that its leftover data
   * may be deleted. False for an incarnation that is not known yet.
   */
  public boolean hasEnded(NodeId node, long incarnation) {
    if (removed.containsKey(node)) {
      return true;
    }
    Member member = byNode.get(node);
    return member != null
        && (incarnation < member.incarnation()
            || (incarnation == member.incarnation() && !member.isAlive()));
  }

  /** Returns whether exactly this incarnation of the node is alive. */
  public boolean isAlive(NodeId node, long incarnation) {
    Member member = byNode.get(node);
    return member != null && member.isAlive() && member.incarnation() == incarnation;
  }
}
