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
 * @param published every range, as the metadata have it
 * @param reports of the nodes that have answered
 * @param busy ranges that a step is being done for: none is planned
 * @param cooling ranges whose leadership was transferred a short while ago
 * @param merges what is wanted of merges
 * @param moves votes that are on their way to another node because of the load
 */
record PlacementView(
    Map<NodeId, Node> nodes,
    Map<RangeId, RangeDescriptor> published,
    Map<NodeId, RangeReports> reports,
    Set<RangeId> busy,
    Set<RangeId> cooling,
    Merges merges,
    Map<RangeId, VoterLoad.Move> moves) {

  /** No vote is on its way. */
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
   * Which ranges are to become one with the next.
   *
   * @param wanted left ranges, in the order in which that was asked for
   * @param late right ranges that have stood still for too long: their merges are given up
   * @param canceled right ranges that stand still for a merge that an operator has canceled
   */
  record Merges(List<RangeId> wanted, Set<RangeId> late, Set<RangeId> canceled) {
    static final Merges NONE = new Merges(List.of(), Set.of(), Set.of());
  }

  /**
   * A member.
   *
   * @param lost it has been DOWN for so long that others shall take its place
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
