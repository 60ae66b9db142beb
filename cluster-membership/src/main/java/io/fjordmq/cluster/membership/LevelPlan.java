package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.metadata.LevelRecord;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the level of the cluster is raised, and to what (decision 0101). Uses no clock and
 * no threads.
 *
 * @param record the current level
 * @param supported the levels that each member supports, including members that are down
 */
record LevelPlan(LevelRecord record, SortedMap<NodeId, SupportedLevels> supported) {

  /**
   * Returns the record as it should be now: with a raised level, if it is time for that, and with
   * the time since which an upgrade is in progress. Equal to the current record if nothing changes.
   *
   * @param automatic whether the level is raised without an operator
   * @param holdDownMillis how long all members must have supported a level before it is raised
   */
  LevelRecord next(boolean automatic, long holdDownMillis, long nowMillis) {
    if (supported.isEmpty()) {
      return record;
    }
    int common = highestCommon();
    if (common <= record.level()) {
      return new LevelRecord(
          record.level(), record.raisedMillis(), upgradeSince(record.level(), nowMillis), 0, 0);
    }
    long since = common == record.next() ? record.nextSinceMillis() : nowMillis;
    return automatic && nowMillis - since >= holdDownMillis
        ? raised(common, nowMillis)
        : new LevelRecord(
            record.level(),
            record.raisedMillis(),
            upgradeSince(record.level(), nowMillis),
            common,
            since);
  }

  /** Returns the record with this level. */
  LevelRecord raised(int level, long nowMillis) {
    return new LevelRecord(level, nowMillis, upgradeSince(level, nowMillis), 0, 0);
  }

  /** Returns the highest level that every member supports; at least the current level. */
  int highestCommon() {
    return Math.max(
        record.level(),
        supported.values().stream().mapToInt(SupportedLevels::highest).min().orElse(0));
  }

  /** Returns why the level cannot be raised to this one; null if it can. */
  @Nullable String obstacle(int level) {
    if (level < record.level()) {
      return "the cluster level is %d and cannot be lowered to %d".formatted(record.level(), level);
    }
    List<String> lacking =
        supported.entrySet().stream()
            .filter(member -> !member.getValue().contains(level))
            .map(member -> "%s (%s)".formatted(member.getKey(), member.getValue()))
            .toList();
    return lacking.isEmpty()
        ? null
        : "cannot raise the cluster level to %d: not supported by %s; upgrade and start these nodes, or remove those that will not return"
            .formatted(level, String.join(", ", lacking));
  }

  private long upgradeSince(int level, long nowMillis) {
    boolean upgrading = supported.values().stream().anyMatch(levels -> levels.highest() > level);
    if (!upgrading) {
      return 0;
    }
    return record.upgradeSinceMillis() == 0 ? nowMillis : record.upgradeSinceMillis();
  }

  /**
   * Returns why a node with these levels cannot be a member of a cluster at this level; null if it
   * can.
   */
  static @Nullable String refusal(SupportedLevels levels, int level) {
    if (levels.contains(level)) {
      return null;
    }
    return "this version of FjordMQ supports %s, but the cluster is at level %d; start the node with %s version, as the other nodes"
        .formatted(levels, level, level > levels.highest() ? "a newer" : "an older");
  }
}
