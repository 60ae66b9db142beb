package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the steps that one driver plans and cannot take yet, with their start time and reason:
 * those that its plan postpones and those that keep failing. Thread-safe.
 */
final class PendingSteps {
  private final List<PendingSince> postponed = new ArrayList<>();
  private final Map<RangeId, PendingSince> failing = new HashMap<>();

  private record PendingSince(PendingStep step, long millis) {}

  /**
   * Must be called when the driver has made a new plan.
   *
   * @param pending steps that the plan postpones
   * @param steps ranges for which a step was planned
   * @param busy ranges for which a step is in progress, so that none was planned
   */
  synchronized void onPlan(
      List<PendingStep> pending, Set<RangeId> steps, Set<RangeId> busy, long nowMillis) {
    List<PendingSince> before = List.copyOf(postponed);
    postponed.removeIf(waiting -> !busy.contains(waiting.step().range()));
    for (PendingStep step : pending) {
      if (postponed.stream().noneMatch(waiting -> waiting.step().isSameAs(step))) {
        postponed.add(new PendingSince(step, sinceMillis(before, step, nowMillis)));
      }
    }
    failing.keySet().removeIf(range -> !steps.contains(range) && !busy.contains(range));
  }

  private static long sinceMillis(List<PendingSince> before, PendingStep step, long nowMillis) {
    return before.stream()
        .filter(waiting -> waiting.step().isSameAs(step))
        .mapToLong(PendingSince::millis)
        .findFirst()
        .orElse(nowMillis);
  }

  /**
   * Must be called when a step has ended.
   *
   * @param failure null if it succeeded
   * @param cancelable whether an operator can cancel the change that the step is part of
   */
  synchronized void onStepFinished(
      Step step, @Nullable String failure, boolean cancelable, long nowMillis) {
    String what = describe(step);
    if (failure == null || what == null) {
      failing.remove(step.range());
      return;
    }
    PendingStep current =
        new PendingStep(
            step.range(),
            what,
            "the last attempt failed: " + failure,
            cancelable || isMergeStep(step));
    PendingSince before = failing.get(step.range());
    long since = before != null && before.step().isSameAs(current) ? before.millis() : nowMillis;
    failing.put(step.range(), new PendingSince(current, since));
  }

  private static boolean isMergeStep(Step step) {
    return step instanceof Step.Freeze || step instanceof Step.Absorb;
  }

  /** Returns null for steps that do not wait for a particular node. */
  private static @Nullable String describe(Step step) {
    if (step instanceof Step.Drop drop) {
      return describeRemoval(drop.node().value());
    } else if (step instanceof Step.Change change) {
      return "changing the replicas from %s to %s".formatted(change.from(), change.to());
    } else if (step instanceof Step.Ensure ensure) {
      return "creating a replica on node " + ensure.node();
    } else if (step instanceof Step.Freeze freeze) {
      return describeMerge(freeze.left().id(), freeze.range());
    } else if (step instanceof Step.Absorb absorb) {
      return describeMerge(absorb.range(), absorb.right().id());
    } else if (step instanceof Step.BumpEpoch bumpEpoch) {
      return "canceling the merge with " + bumpEpoch.right();
    }
    return step instanceof Step.Unfreeze ? "unfreezing the range after a canceled merge" : null;
  }

  static String describeRemoval(String node) {
    return "removing the replica on node " + node;
  }

  static String describeMerge(RangeId left, RangeId right) {
    return "merging %s with %s".formatted(left, right);
  }

  /** Returns the pending steps, sorted by range. */
  synchronized List<PendingStep> list(long nowMillis) {
    List<PendingSince> all = new ArrayList<>(postponed);
    all.addAll(failing.values());
    return all.stream()
        .map(waiting -> waiting.step().waitingFor(Duration.ofMillis(nowMillis - waiting.millis())))
        .sorted(
            Comparator.comparing((PendingStep step) -> step.range().store())
                .thenComparingLong(step -> step.range().number())
                .thenComparing(PendingStep::description))
        .toList();
  }

  /** Discards everything; the next driver determines it again. */
  synchronized void clear() {
    postponed.clear();
    failing.clear();
  }
}
