package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the driver knows at one moment. Immutable.
 *
 * @param nodes every member of the cluster
 * @param published every range, as published in the metadata
 * @param reports reports of the nodes that have answered
 * @param busy ranges with a step in progress: no other is planned
 * @param cooling ranges whose leadership was transferred recently
 * @param merges requested merges and frozen ranges
 * @param moves voters that are being moved to another node because of the load
 */
record PlacementView(
    Map<NodeId, Node> nodes,
    Map<RangeId, RangeDescriptor> published,
    Map<NodeId, RangeReports> reports,
    Set<RangeId> busy,
    Set<RangeId> cooling,
    Merges merges,
    Map<RangeId, VoterLoad.Move> moves) {

  /** A view without voter moves. */
  PlacementView(
      Map<NodeId, Node> nodes,
      Map<RangeId, RangeDescriptor> published,
      Map<NodeId, RangeReports> reports,
      Set<RangeId> busy,
      Set<RangeId> cooling,
      Merges merges) {
    this(nodes, published, reports, busy, cooling, merges, Map.of());
  }

  PlacementView with(Map<RangeId, VoterLoad.Move> underWay) {
    return new PlacementView(nodes, published, reports, busy, cooling, merges, underWay);
  }

  /**
   * The merges that are requested or in progress.
   *
   * @param wanted left ranges, in the order of the requests
   * @param late right ranges that have been frozen for too long: their merges are given up
   * @param canceled right ranges that are frozen for a merge that an operator has canceled
   */
  record Merges(List<RangeId> wanted, Set<RangeId> late, Set<RangeId> canceled) {
    static final Merges NONE = new Merges(List.of(), Set.of(), Set.of());
  }

  /**
   * A member.
   *
   * @param lost it has been DOWN for so long that other nodes replace it
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
