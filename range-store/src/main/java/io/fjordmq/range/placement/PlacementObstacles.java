package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects why a plan postpones steps. Not thread-safe. */
final class PlacementObstacles {
  private final Map<RangeId, String> merges = new HashMap<>();
  private final List<PendingStep> pending = new ArrayList<>();
  private final Map<RangeId, List<ReplicaChange>> changes = new HashMap<>();

  void add(PendingStep step) {
    pending.add(step);
  }

  void addMerge(RangeId left, String reason) {
    merges.put(left, reason);
  }

  void addChanges(RangeId range, List<ReplicaChange> ofRange) {
    changes.put(range, ofRange);
  }

  /** Returns the changes of replicas that the plan makes, now or later, by range. */
  Map<RangeId, List<ReplicaChange>> changes() {
    return Map.copyOf(changes);
  }

  /** Returns why requested merges have not started, by left range. */
  Map<RangeId, String> merges() {
    return Map.copyOf(merges);
  }

  /** Returns the steps that cannot be taken yet. */
  List<PendingStep> pending() {
    return List.copyOf(pending);
  }
}
