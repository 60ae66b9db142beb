package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A point-in-time view of the cluster, the input of one plan. Immutable.
 *
 * @param nodes every member of the cluster
 * @param published every range, as published in the metadata
 * @param reports reports of the nodes that have responded
 * @param busy ranges with a step in progress: no other is planned
 * @param inCooldown ranges whose leadership was transferred recently
 * @param merges requested merges and frozen ranges
 * @param moves voters that are being moved to another node because of the load
 * @param held ranges whose replicas do not change for a while because an operator canceled a change
 * @param pins ranges whose placement an operator has chosen
 */
record PlacementView(
    Map<NodeId, Node> nodes,
    Map<RangeId, RangeDescriptor> published,
    Map<NodeId, RangeReports> reports,
    Set<RangeId> busy,
    Set<RangeId> inCooldown,
    Merges merges,
    Map<RangeId, VoterLoadBalance.Move> moves,
    Set<RangeId> held,
    Map<RangeId, RangePin> pins) {

  /** Creates a view without voter moves, held ranges and pins. */
  PlacementView(
      Map<NodeId, Node> nodes,
      Map<RangeId, RangeDescriptor> published,
      Map<NodeId, RangeReports> reports,
      Set<RangeId> busy,
      Set<RangeId> inCooldown,
      Merges merges) {
    this(nodes, published, reports, busy, inCooldown, merges, Map.of(), Set.of(), Map.of());
  }

  PlacementView withMoves(Map<RangeId, VoterLoadBalance.Move> newMoves) {
    return new PlacementView(
        nodes, published, reports, busy, inCooldown, merges, newMoves, held, pins);
  }

  PlacementView withHeld(Set<RangeId> ranges) {
    return new PlacementView(
        nodes, published, reports, busy, inCooldown, merges, moves, ranges, pins);
  }

  PlacementView withPins(Map<RangeId, RangePin> newPins) {
    return new PlacementView(
        nodes, published, reports, busy, inCooldown, merges, moves, held, newPins);
  }

  boolean isPinned(RangeId range) {
    return pins.containsKey(range);
  }

  /**
   * The merges that are requested or in progress.
   *
   * @param requested left ranges of requested merges, in request order
   * @param overdue right ranges that have been frozen for too long; their merges are abandoned
   * @param canceled right ranges that are frozen for a merge that an operator has canceled
   */
  record Merges(List<RangeId> requested, Set<RangeId> overdue, Set<RangeId> canceled) {
    static final Merges NONE = new Merges(List.of(), Set.of(), Set.of());
  }

  /**
   * A member.
   *
   * @param lost whether it has been DOWN for so long that other nodes replace it
   */
  record Node(Member.State state, boolean lost) {
    boolean isUp() {
      return state == Member.State.UP;
    }

    boolean isAlive() {
      return state != Member.State.DOWN;
    }
  }

  boolean isUp(NodeId node) {
    Node member = nodes.get(node);
    return member != null && member.isUp();
  }

  boolean isAlive(NodeId node) {
    Node member = nodes.get(node);
    return member != null && member.isAlive();
  }
}
