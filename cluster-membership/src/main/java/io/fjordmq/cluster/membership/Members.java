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
 */
public record Members(long version, Map<NodeId, Member> byNode) {
  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::value);

  /** Keeps them in the order of their names, so that what is done for each can be repeated. */
  public Members {
    NavigableMap<NodeId, Member> ordered = new TreeMap<>(BY_NAME);
    ordered.putAll(byNode);
    byNode = Collections.unmodifiableNavigableMap(ordered);
  }

  public @Nullable Member find(NodeId node) {
    return byNode.get(node);
  }

  /** The nodes that are not DOWN. */
  public Set<NodeId> alive() {
    return byNode.values().stream()
        .filter(Member::isAlive)
        .map(Member::node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Whether this life of the node is over for sure; one that is not known yet is not. What it has
   * left behind may be cleared away.
   */
  public boolean isOver(NodeId node, long incarnation) {
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
