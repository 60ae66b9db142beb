package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeLevels;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The level of the cluster and an upgrade in progress, as this node knows them.
 *
 * @param record the level, and the times of an upgrade in progress
 * @param supported the levels that each member supports, ordered by id
 */
public record LevelStatus(LevelRecord record, SortedMap<NodeId, SupportedLevels> supported) {

  static LevelStatus of(MetadataView view) {
    return new LevelStatus(LevelRecord.of(view), NodeLevels.ofMembers(view));
  }

  /** Returns the highest level that any member supports. */
  public int highest() {
    return supported.values().stream()
        .mapToInt(SupportedLevels::highest)
        .max()
        .orElse(record.level());
  }

  /** Returns the members that do not support the {@link #highest} level, ordered by id. */
  public List<NodeId> lagging() {
    int highest = highest();
    return supported.entrySet().stream()
        .filter(member -> !member.getValue().contains(highest))
        .map(Map.Entry::getKey)
        .toList();
  }
}
