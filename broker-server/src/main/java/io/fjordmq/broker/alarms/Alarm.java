package io.fjordmq.broker.alarms;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An alarm of a node.
 *
 * @param name the label of its {@link AlarmKind}; nodes of later versions may have other kinds
 * @param subject what the alarm concerns, such as a range or a node; empty for the whole node
 * @param clusterWide whether the alarm concerns the cluster rather than the node that reports it
 * @param message a sentence for the operator, without a period
 * @param details machine-readable values, sorted by name
 * @param activatedAt when the alarm was activated, in cluster time
 * @param deactivatedAt when it was deactivated; null while it is active
 */
public record Alarm(
    String name,
    String subject,
    boolean clusterWide,
    String message,
    Map<String, String> details,
    Instant activatedAt,
    @Nullable Instant deactivatedAt) {
  public Alarm {
    details = new TreeMap<>(details);
  }

  static Alarm activated(AlarmCondition condition, Instant at) {
    return new Alarm(
        condition.kind().label(),
        condition.subject(),
        condition.kind().isClusterWide(),
        condition.message(),
        condition.details(),
        at,
        null);
  }

  Alarm deactivated(Instant at) {
    return new Alarm(name, subject, clusterWide, message, details, activatedAt, at);
  }

  /** The same alarm with the current message and details of its condition. */
  Alarm updated(AlarmCondition condition) {
    return new Alarm(
        name,
        subject,
        clusterWide,
        condition.message(),
        condition.details(),
        activatedAt,
        deactivatedAt);
  }

  public boolean isActive() {
    return deactivatedAt == null;
  }

  /** How long the alarm has been active, or was active. */
  public Duration duration(Instant now) {
    Duration duration =
        Duration.between(activatedAt, Objects.requireNonNullElse(deactivatedAt, now));
    return duration.isNegative() ? Duration.ZERO : duration; // the clocks of nodes may differ
  }
}
