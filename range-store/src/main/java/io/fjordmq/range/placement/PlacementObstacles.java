package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects why a plan puts off what is wanted. For one thread. */
final class PlacementObstacles {
  private final Map<RangeId, String> merges = new HashMap<>();
  private final List<PendingStep> pending = new ArrayList<>();

  void add(PendingStep step) {
    pending.add(step);
  }

  void addMerge(RangeId left, String why) {
    merges.put(left, why);
  }

  /** Why merges that are wanted are not begun yet, by their left range. */
  Map<RangeId, String> merges() {
    return Map.copyOf(merges);
  }

  /** Everything that is wanted and cannot be done yet. */
  List<PendingStep> pending() {
    return List.copyOf(pending);
  }
}
