package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Two nodes that do not reach each other, though both reach all others, and what must hold while
 * that is so: the life of one of them ends, once, and nobody else's.
 *
 * @param before the incarnations of all nodes when it began
 */
record CutPair(NodeId one, NodeId other, Map<String, Long> before) {

  CutPair(NodeId one, NodeId other, Collection<ClusterMembership> nodes) {
    this(one, other, incarnations(nodes));
  }

  private static Map<String, Long> incarnations(Collection<ClusterMembership> nodes) {
    Map<String, Long> all = new TreeMap<>();
    nodes.forEach(node -> all.put(node.self().value(), node.incarnation()));
    return all;
  }

  private boolean has(NodeId node) {
    return one.equals(node) || other.equals(node);
  }

  /** At any time. */
  void check(Collection<ClusterMembership> nodes) {
    for (ClusterMembership node : nodes) {
      if (!node.isServing() && !has(node.self())) {
        throw new AssertionError(
            "%s and %s are cut apart, and %s does not serve: %s"
                .formatted(one, other, node.self(), node.notServingBecause()));
      }
    }
    if (nodes.stream().noneMatch(node -> has(node.self()) && node.isServing())) {
      throw new AssertionError("neither %s nor %s serves".formatted(one, other));
    }
  }

  /** At the end. */
  void mustHaveEndedOne(Collection<ClusterMembership> nodes) {
    long ended = 0;
    for (ClusterMembership node : nodes) {
      long lives = node.incarnation() - before.getOrDefault(node.self().value(), 0L);
      if (lives > 1 || (lives == 1 && !has(node.self()))) {
        throw new AssertionError(
            "%s and %s are cut apart, and %s has lost %d lives"
                .formatted(one, other, node.self(), lives));
      }
      ended += lives;
    }
    if (ended != 1) {
      throw new AssertionError(
          "%s and %s are cut apart, and %d of their lives ended".formatted(one, other, ended));
    }
  }
}
