package io.fjordmq.broker.alarms;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LevelStatus;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Reports an upgrade of the cluster that was begun long ago and is not finished. */
final class UpgradeConditions {
  /** The subject of the alarm, because a cluster has one level. */
  private static final String SUBJECT = "cluster";

  private UpgradeConditions() {}

  /**
   * @param now cluster time
   */
  static List<AlarmCondition> of(LevelStatus status, Instant now, AlarmSettings settings) {
    long sinceMillis = status.record().upgradeSinceMillis();
    if (sinceMillis == 0
        || now.isBefore(Instant.ofEpochMilli(sinceMillis).plus(settings.upgradePending()))) {
      return List.of();
    }
    Instant since = Instant.ofEpochMilli(sinceMillis);
    String lagging = status.lagging().stream().map(NodeId::value).collect(Collectors.joining(", "));
    String remedy =
        lagging.isEmpty()
            ? "all nodes support it; run 'bin/fjordmq cluster upgrade'"
            : "upgrade these nodes, remove them, or downgrade the others: " + lagging;
    return List.of(
        AlarmCondition.of(
            AlarmKind.UPGRADE_PENDING,
            SUBJECT,
            "The upgrade from cluster level %d to %d started at %s and is not complete: %s"
                .formatted(status.record().level(), status.highest(), since, remedy),
            "level",
            Integer.toString(status.record().level()),
            "highest",
            Integer.toString(status.highest()),
            "since",
            since.toString(),
            "nodes",
            lagging));
  }
}
