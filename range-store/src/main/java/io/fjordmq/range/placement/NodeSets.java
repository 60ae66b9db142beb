package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Operations on sets of nodes, with a deterministic order. */
final class NodeSets {
  static final Comparator<NodeId> ORDER = Comparator.comparing(NodeId::value);

  private NodeSets() {}

  static List<NodeId> sorted(Collection<NodeId> nodes) {
    return nodes.stream().sorted(ORDER).toList();
  }

  static Set<NodeId> with(Set<NodeId> nodes, NodeId node) {
    Set<NodeId> result = new HashSet<>(nodes);
    result.add(node);
    return result;
  }

  static Set<NodeId> without(Set<NodeId> nodes, NodeId node) {
    Set<NodeId> result = new HashSet<>(nodes);
    result.remove(node);
    return result;
  }

  static List<NodeId> missing(Set<NodeId> required, Set<NodeId> present) {
    return required.stream().filter(node -> !present.contains(node)).sorted(ORDER).toList();
  }

  /** Returns the members that have not reported, each with the reason; null if all have. */
  static @Nullable String missingReports(PlacementView view) {
    List<String> absent =
        missing(view.nodes().keySet(), view.reports().keySet()).stream()
            .map(node -> missingReportReason(view, node))
            .toList();
    return absent.isEmpty() ? null : String.join(", ", absent);
  }

  /** Returns why a member has not reported. */
  static String missingReportReason(PlacementView view, NodeId node) {
    return "node " + node + (view.isAlive(node) ? " does not respond" : " is down");
  }
}
