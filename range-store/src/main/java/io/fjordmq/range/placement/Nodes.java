package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Sets of nodes, in an order that is the same in every run. */
final class Nodes {
  static final Comparator<NodeId> ORDER = Comparator.comparing(NodeId::value);

  private Nodes() {}

  static List<NodeId> sorted(Collection<NodeId> nodes) {
    return nodes.stream().sorted(ORDER).toList();
  }

  static Set<NodeId> with(Set<NodeId> nodes, NodeId one) {
    Set<NodeId> more = new HashSet<>(nodes);
    more.add(one);
    return more;
  }

  static Set<NodeId> without(Set<NodeId> nodes, NodeId one) {
    Set<NodeId> fewer = new HashSet<>(nodes);
    fewer.remove(one);
    return fewer;
  }

  static List<NodeId> missing(Set<NodeId> wanted, Set<NodeId> present) {
    return wanted.stream().filter(node -> !present.contains(node)).sorted(ORDER).toList();
  }
}
