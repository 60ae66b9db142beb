package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ranges that keep their replicas for a while because an operator canceled a change to them.
 * Only optional changes are suppressed; a voter on a lost node is replaced in any case. Holds are
 * lost when another node becomes the driver. Guarded by its driver.
 */
final class ReplicaHolds {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaHolds.class);

  private final Map<RangeId, Hold> holds = new HashMap<>();

  /** The changes of each range in the latest plan that have not been canceled since. */
  private final Map<RangeId, List<ReplicaChange>> changes = new HashMap<>();

  /**
   * One cancellation.
   *
   * @param canceled the changes that are suppressed
   */
  private record Hold(List<String> canceled, long sinceMillis, long untilMillis) {}

  /**
   * Must be called when the driver has made a new plan.
   *
   * @param planned changes of each range
   * @param busy ranges for which a step is in progress, so that none was planned
   */
  void onPlan(Map<RangeId, List<ReplicaChange>> planned, Set<RangeId> busy) {
    changes.keySet().retainAll(busy);
    changes.putAll(planned);
  }

  /** Returns the ranges that keep their replicas. */
  Set<RangeId> held(long nowMillis) {
    holds.values().removeIf(hold -> hold.untilMillis() <= nowMillis);
    return new HashSet<>(holds.keySet());
  }

  /** Returns whether {@link #cancel} would have an effect. */
  boolean isCancelable(RangeId range) {
    return changes.getOrDefault(range, List.of()).stream().anyMatch(ReplicaChange::isCancelable);
  }

  /**
   * Holds the range's replicas as they are. A step in progress is not interrupted.
   *
   * @param until when placement may change the replicas again
   * @throws IllegalStateException if there is nothing to cancel; the message says what to do
   *     instead
   */
  void cancel(RangeId range, long until, long nowMillis) {
    List<ReplicaChange> rangeChanges = changes.getOrDefault(range, List.of());
    if (isCancelable(range)) {
      List<String> canceled =
          rangeChanges.stream()
              .filter(ReplicaChange::isCancelable)
              .map(ReplicaChange::description)
              .toList();
      holds.put(range, new Hold(canceled, nowMillis, until));
      changes.put(range, rangeChanges.stream().filter(change -> !change.isCancelable()).toList());
      LOG.info("Replica changes canceled by an operator range={} changes={}", range, canceled);
      return;
    }
    Hold held = holds.get(range);
    if (!rangeChanges.isEmpty()) {
      throw new IllegalStateException(
          rangeChanges.stream()
              .map(change -> change.description() + " cannot be canceled: " + change.reason())
              .collect(Collectors.joining("; ")));
    } else if (held != null) {
      throw new IllegalStateException(describeHold(held, nowMillis));
    }
    throw new IllegalStateException("no merge or replica change is pending for range " + range);
  }

  /** Returns the canceled changes, and when placement may repeat them. */
  List<PendingStep> pending(long nowMillis) {
    List<PendingStep> pending = new ArrayList<>();
    holds.forEach(
        (range, hold) -> {
          Duration waiting = Duration.ofMillis(nowMillis - hold.sinceMillis());
          String reason = describeHold(hold, nowMillis);
          hold.canceled().stream()
              .map(what -> new PendingStep(range, what, reason, false, waiting))
              .forEach(pending::add);
        });
    return pending;
  }

  private static String describeHold(Hold hold, long nowMillis) {
    long seconds = Math.max(0, hold.untilMillis() - nowMillis + 999) / 1_000;
    return "canceled by an operator; placement may retry the change in " + seconds + " s";
  }
}
