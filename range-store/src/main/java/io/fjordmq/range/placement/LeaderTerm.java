package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a placement driver during one term of the metadata group that this node leads.
 * Guarded by its driver.
 */
final class LeaderTerm {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementDriver.class);

  /** A voter move is abandoned after this many step timeouts. */
  private static final int MAX_STEPS_PER_MOVE = 10;

  private final PlacementOrders orders;
  private final PlacementSettings settings;
  private final Set<RangeId> busy = new HashSet<>();

  /**
   * Ranges whose step ended after the reports were requested: the reports may be older than the
   * step.
   */
  private final Set<RangeId> changedMeanwhile = new HashSet<>();

  private final Map<RangeId, Long> cooldownUntilMillis = new HashMap<>();
  private final SplitBackoff splitBackoff = new SplitBackoff();
  private final VoterMoves voterMoves = new VoterMoves();
  private final ReplicaHolds holds = new ReplicaHolds();
  private final Map<NodeId, Long> downSinceMillis = new HashMap<>();
  private final Map<RangeId, String> lastFailure = new HashMap<>();

  LeaderTerm(PlacementOrders orders, PlacementSettings settings) {
    this.orders = orders;
    this.settings = settings;
  }

  PlacementOrders orders() {
    return orders;
  }

  /** Must be called before the reports are requested. */
  void beginCheck() {
    changedMeanwhile.clear();
  }

  /** Returns the input of a plan, without voter moves. */
  PlacementView view(
      Map<NodeId, Member> members,
      Map<RangeId, RangeDescriptor> published,
      Map<NodeId, RangeReports> reports,
      PlacementView.Merges merges,
      long nowMillis) {
    cooldownUntilMillis.values().removeIf(until -> until <= nowMillis);
    Set<RangeId> unsettled = new HashSet<>(busy);
    unsettled.addAll(changedMeanwhile);
    return new PlacementView(
            nodes(members, nowMillis),
            published,
            Map.copyOf(reports),
            unsettled,
            Set.copyOf(cooldownUntilMillis.keySet()),
            merges)
        .withHeld(holds.held(nowMillis));
  }

  /** Adds the moves of voters that spread the load. */
  PlacementView withMoves(PlacementView view, List<StorePlacement> stores, long nowMillis) {
    VoterMoves.Timing timing =
        new VoterMoves.Timing(
            settings.transferCooldown(), settings.stepTimeout().multipliedBy(MAX_STEPS_PER_MOVE));
    return voterMoves.update(view, stores, timing, nowMillis);
  }

  /** Returns the splits that range leaders request, except those that were rejected recently. */
  List<Step> requestedSplits(PlacementView view, long nowMillis) {
    splitBackoff.keepOnly(view.published().keySet());
    return PlacementPlan.requestedSplits(view).stream()
        .filter(step -> !splitBackoff.isPausing(step.range(), nowMillis))
        .toList();
  }

  void onPlan(PlacementObstacles obstacles, PlacementView view) {
    holds.onPlan(obstacles.changes(), view.busy());
  }

  /**
   * Marks ranges as busy.
   *
   * @return the steps to carry out now: at most one for each range, and as many as the settings
   *     allow
   */
  List<Step> begin(List<Step> planned, long nowMillis) {
    List<Step> begun = new ArrayList<>();
    for (Step step : planned) {
      if (busy.size() < settings.maxSteps() && Collections.disjoint(busy, step.ranges())) {
        busy.addAll(step.ranges());
        if (step instanceof Step.Transfer) {
          long until = nowMillis + settings.transferCooldown().toMillis();
          cooldownUntilMillis.put(step.range(), until);
        }
        begun.add(step);
      }
    }
    return begun;
  }

  /** Returns the changes that an operator has canceled. */
  List<PendingStep> heldSteps(long nowMillis) {
    return holds.pending(nowMillis);
  }

  boolean isCancelable(RangeId range) {
    return holds.isCancelable(range);
  }

  /** See {@link ReplicaHolds#cancel}. */
  void hold(RangeId range, long untilMillis, long nowMillis) {
    holds.cancel(range, untilMillis, nowMillis);
  }

  /** See {@link VoterMoves#cancel}. */
  boolean cancelMove(RangeId range, long againMillis) {
    return voterMoves.cancel(range, againMillis);
  }

  private Map<NodeId, PlacementView.Node> nodes(Map<NodeId, Member> members, long nowMillis) {
    downSinceMillis.keySet().retainAll(members.keySet());
    Map<NodeId, PlacementView.Node> nodes = new HashMap<>();
    members.forEach((node, member) -> nodes.put(node, node(member, nowMillis)));
    return nodes;
  }

  private PlacementView.Node node(Member member, long nowMillis) {
    if (member.isAlive()) {
      downSinceMillis.remove(member.node());
      return new PlacementView.Node(member.state(), false);
    }
    long since = downSinceMillis.computeIfAbsent(member.node(), first -> nowMillis);
    boolean lost = nowMillis - since >= settings.replaceAfter().toMillis();
    return new PlacementView.Node(member.state(), lost);
  }

  /**
   * Must be called when a step has ended. A failure that repeats unchanged is logged once.
   *
   * @param failure null if the step succeeded
   */
  void onStepFinished(Step step, @Nullable String failure, long nowMillis) {
    if (step instanceof Step.Split && failure == null) {
      splitBackoff.reset(step.range());
    } else if (step instanceof Step.Split) {
      splitBackoff.recordFailure(step.range(), nowMillis, settings.interval());
    }
    busy.removeAll(step.ranges());
    changedMeanwhile.addAll(step.ranges());
    if (failure == null) {
      lastFailure.remove(step.range());
      LOG.info("Placement step done: {}", step);
      return;
    }
    String previous = lastFailure.put(step.range(), step + failure);
    if (!(step + failure).equals(previous)) {
      LOG.warn("Placement step failed; retrying: {}: {}", step, failure);
    }
  }
}
