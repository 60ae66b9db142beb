package io.fjordmq.broker.alarms;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An alarm with the nodes that reported it.
 *
 * @param nodes in the order of their reports; one, unless several nodes reported the same
 *     cluster-wide alarm at the same time
 */
public record NodeAlarm(List<String> nodes, Alarm alarm) {
  /** The node that reported the alarm first. */
  public String node() {
    return nodes.get(0);
  }

  /**
   * Merges the alarms of several nodes. A cluster-wide alarm that several nodes reported at the
   * same time becomes one, from the first activation to the last deactivation.
   *
   * @return the latest activation first
   */
  static List<NodeAlarm> merge(Map<String, List<Alarm>> byNode) {
    List<NodeAlarm> all = new ArrayList<>();
    byNode.forEach(
        (node, alarms) -> alarms.forEach(alarm -> all.add(new NodeAlarm(List.of(node), alarm))));
    all.sort(
        Comparator.comparing((NodeAlarm one) -> one.alarm.activatedAt())
            .thenComparing(NodeAlarm::node)
            .thenComparing(one -> one.alarm.name())
            .thenComparing(one -> one.alarm.subject()));
    List<NodeAlarm> merged = new ArrayList<>();
    for (NodeAlarm next : all) {
      int same = next.alarm.clusterWide() ? findOverlapping(merged, next) : -1;
      if (same < 0) {
        merged.add(next);
      } else {
        merged.set(same, merged.get(same).plus(next));
      }
    }
    merged.sort(Comparator.comparing((NodeAlarm one) -> one.alarm.activatedAt()).reversed());
    return merged;
  }

  private static int findOverlapping(List<NodeAlarm> merged, NodeAlarm next) {
    for (int i = merged.size() - 1; i >= 0; i--) {
      Alarm earlier = merged.get(i).alarm;
      if (earlier.name().equals(next.alarm.name())
          && earlier.subject().equals(next.alarm.subject())) {
        Instant end = earlier.deactivatedAt();
        return end == null || !end.isBefore(next.alarm.activatedAt()) ? i : -1;
      }
    }
    return -1;
  }

  private NodeAlarm plus(NodeAlarm later) {
    List<String> both = new ArrayList<>(nodes);
    later.nodes.stream().filter(node -> !both.contains(node)).forEach(both::add);
    Instant end = later(alarm.deactivatedAt(), later.alarm.deactivatedAt());
    return new NodeAlarm(
        both,
        new Alarm(
            alarm.name(),
            alarm.subject(),
            true,
            alarm.message(),
            alarm.details(),
            alarm.activatedAt(),
            end));
  }

  /** The later of two ends; null if one of the alarms is still active. */
  private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return null;
    }
    return one.isAfter(other) ? one : other;
  }
}
