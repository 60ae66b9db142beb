package io.fjordmq.broker.alarms;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.comparison.ReplicaDifference;
import java.util.List;
import java.util.stream.Collectors;

/** Reports ranges whose replicas hold different rows. */
final class ComparisonConditions {
  private ComparisonConditions() {}

  /**
   * @param differences at most {@link ClusterConditions#MAX_RANGES} of them are reported
   */
  static List<AlarmCondition> of(List<ReplicaDifference> differences) {
    return differences.stream()
        .limit(ClusterConditions.MAX_RANGES)
        .map(ComparisonConditions::of)
        .toList();
  }

  private static AlarmCondition of(ReplicaDifference difference) {
    String range = difference.range().toString();
    String compared = ids(difference.compared());
    String deviating = ids(difference.deviating());
    String which =
        deviating.isEmpty()
            ? "no majority shows which one is right; keep the data directories and see"
                + " docs/RUNBOOKS.md"
            : "those on these nodes differ from the majority: %s; keep the logs, then run %s"
                .formatted(
                    deviating,
                    difference.deviating().stream()
                        .map(node -> "bin/fjordmq ranges rebuild " + range + " --node " + node)
                        .collect(Collectors.joining("; ")));
    return AlarmCondition.of(
        AlarmKind.REPLICAS_DIFFER,
        range,
        "The replicas of range %s on nodes %s hold different rows%s: %s"
            .formatted(
                range,
                compared,
                difference.confirmed() ? "" : ", which a second comparison did not confirm",
                which),
        "range",
        range,
        "nodes",
        compared,
        "deviating",
        deviating,
        "slice",
        difference.slice(),
        "index",
        Long.toString(difference.index()),
        "found_at",
        difference.found().toString(),
        "confirmed",
        Boolean.toString(difference.confirmed()));
  }

  private static String ids(List<NodeId> nodes) {
    return nodes.stream().map(NodeId::value).collect(Collectors.joining(", "));
  }
}
