package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Two nodes that cannot reach each other although both reach all others, and the invariants of such
 * a partition: the incarnation of exactly one of them ends, exactly once, and of no other node.
 *
 * @param before the incarnations of all nodes when the partition began
 */
record PartitionedPair(NodeId first, NodeId second, Map<String, Long> before) {

  PartitionedPair(NodeId first, NodeId second, Collection<ClusterMembership> nodes) {
    this(first, second, incarnations(nodes));
  }

  private static Map<String, Long> incarnations(Collection<ClusterMembership> nodes) {
    Map<String, Long> all = new TreeMap<>();
    nodes.forEach(node -> all.put(node.self().value(), node.incarnation()));
    return all;
  }

  private boolean contains(NodeId node) {
    return first.equals(node) || second.equals(node);
  }

  /** Checks the invariants that hold at any time. */
  void check(Collection<ClusterMembership> nodes) {
    for (ClusterMembership node : nodes) {
      if (!node.isServing() && !contains(node.self())) {
        throw new AssertionError(
            "%s and %s are partitioned, but %s does not serve: %s"
                .formatted(first, second, node.self(), node.notServingReason()));
      }
    }
    if (nodes.stream().noneMatch(node -> contains(node.self()) && node.isServing())) {
      throw new AssertionError("neither %s nor %s serves".formatted(first, second));
    }
  }

  /** Checks the invariants that hold at the end of the partition. */
  void assertOneEnded(Collection<ClusterMembership> nodes) {
    long ended = 0;
    for (ClusterMembership node : nodes) {
      long endedIncarnations = node.incarnation() - before.getOrDefault(node.self().value(), 0L);
      if (endedIncarnations > 1 || (endedIncarnations == 1 && !contains(node.self()))) {
        throw new AssertionError(
            "%s and %s are partitioned, but %s has ended %d incarnations"
                .formatted(first, second, node.self(), endedIncarnations));
      }
      ended += endedIncarnations;
    }
    if (ended != 1) {
      throw new AssertionError(
          "%s and %s are partitioned, and %d of their incarnations ended"
              .formatted(first, second, ended));
    }
  }
}
