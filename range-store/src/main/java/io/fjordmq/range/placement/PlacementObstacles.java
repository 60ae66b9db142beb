package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects why a plan postpones steps. For one thread. */
final class PlacementObstacles {
  private final Map<RangeId, String> merges = new HashMap<>();
  private final List<PendingStep> pending = new ArrayList<>();

  void add(PendingStep step) {
    pending.add(step);
  }

  void addMerge(RangeId left, String why) {
    merges.put(left, why);
  }

  /** Why requested merges have not started, by left range. */
  Map<RangeId, String> merges() {
    return Map.copyOf(merges);
  }

  /** The steps that cannot be taken yet. */
  List<PendingStep> pending() {
    return List.copyOf(pending);
  }
}
