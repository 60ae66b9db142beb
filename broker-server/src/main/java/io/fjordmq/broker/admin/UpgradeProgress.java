package io.fjordmq.broker.admin;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LevelStatus;
import io.fjordmq.cluster.membership.MembershipSettings;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cluster level for operators (decision 0101). Times are cluster time.
 *
 * @param level the level of the cluster
 * @param raisedAt when it was last raised; null if never
 * @param upgradeSince since when a node supports a higher level; null if none does
 * @param next the level to which it can be raised; null if no member, or not every member, supports
 *     a higher one
 * @param raiseAt when it is raised without an operator; null if it is not
 * @param nodes the levels that each member supports, ordered by id
 * @param lagging the ids of the members that do not support the highest of these levels
 */
public record UpgradeProgress(
    int level,
    @Nullable Instant raisedAt,
    @Nullable Instant upgradeSince,
    @Nullable Integer next,
    @Nullable Instant raiseAt,
    List<NodeLevels> nodes,
    List<String> lagging) {

  /** The levels that a node supports. */
  public record NodeLevels(String node, int lowest, int highest) {}

  static UpgradeProgress of(LevelStatus status, MembershipSettings settings) {
    int next = status.record().next();
    return new UpgradeProgress(
        status.record().level(),
        instant(status.record().raisedMillis()),
        instant(status.record().upgradeSinceMillis()),
        next == 0 ? null : next,
        next == 0 || !settings.autoRaiseLevel()
            ? null
            : Instant.ofEpochMilli(status.record().nextSinceMillis())
                .plus(settings.levelHoldDown()),
        status.supported().entrySet().stream()
            .map(
                node ->
                    new NodeLevels(
                        node.getKey().value(), node.getValue().lowest(), node.getValue().highest()))
            .toList(),
        status.lagging().stream().map(NodeId::value).toList());
  }

  private static @Nullable Instant instant(long millis) {
    return millis == 0 ? null : Instant.ofEpochMilli(millis);
  }

  /** Describes an upgrade in progress; null if there is none. */
  @Nullable String note() {
    if (next != null) {
      return "all nodes support cluster level %d; until it is raised, older versions can return; %s"
          .formatted(
              next,
              raiseAt == null
                  ? "raise it with 'bin/fjordmq cluster upgrade'"
                  : "it is raised at " + raiseAt + ", or at once by 'bin/fjordmq cluster upgrade'");
    }
    return upgradeSince == null
        ? null
        : "an upgrade is in progress since %s: the cluster stays at level %d until these nodes run the newer version, too: %s"
            .formatted(upgradeSince, level, lagging.stream().collect(Collectors.joining(", ")));
  }
}
