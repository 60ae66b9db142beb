package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
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

  final PlacementOrders orders;
  final Set<RangeId> busy = new HashSet<>();

  /**
   * Ranges whose step ended after the nodes were queried: their reports may be older than the step.
   */
  final Set<RangeId> changedMeanwhile = new HashSet<>();

  final Map<RangeId, Long> coolUntilMillis = new HashMap<>();
  final SplitBackoff splitBackoff = new SplitBackoff();
  final VoterMoves voterMoves = new VoterMoves();
  private final Map<NodeId, Long> downSinceMillis = new HashMap<>();
  private final Map<RangeId, String> lastFailure = new HashMap<>();

  LeaderTerm(PlacementOrders orders) {
    this.orders = orders;
  }

  /**
   * The current members.
   *
   * @param replaceAfter how long a node must be DOWN to count as lost
   */
  Map<NodeId, PlacementView.Node> nodes(
      Map<NodeId, Member> members, Duration replaceAfter, long nowMillis) {
    downSinceMillis.keySet().retainAll(members.keySet());
    Map<NodeId, PlacementView.Node> nodes = new HashMap<>();
    members.forEach((node, member) -> nodes.put(node, node(member, replaceAfter, nowMillis)));
    return nodes;
  }

  private PlacementView.Node node(Member member, Duration replaceAfter, long nowMillis) {
    if (member.isAlive()) {
      downSinceMillis.remove(member.node());
      return new PlacementView.Node(member.state(), false);
    }
    long since = downSinceMillis.computeIfAbsent(member.node(), first -> nowMillis);
    return new PlacementView.Node(member.state(), nowMillis - since >= replaceAfter.toMillis());
  }

  /**
   * A step has ended. A failure that repeats unchanged is logged once.
   *
   * @param failure null if the step succeeded
   * @param pause delay before a rejected split is retried
   */
  void ended(Step step, @Nullable String failure, long nowMillis, Duration pause) {
    if (step instanceof Step.Split && failure == null) {
      splitBackoff.done(step.range());
    } else if (step instanceof Step.Split) {
      splitBackoff.failed(step.range(), nowMillis, pause);
    }
    busy.removeAll(step.ranges());
    changedMeanwhile.addAll(step.ranges());
    if (failure == null) {
      lastFailure.remove(step.range());
      LOG.info("Placement step done: {}", step);
      return;
    }
    String logged = lastFailure.put(step.range(), step + failure);
    if (!(step + failure).equals(logged)) {
      LOG.warn("Placement step failed, retrying: {}: {}", step, failure);
    }
  }
}
