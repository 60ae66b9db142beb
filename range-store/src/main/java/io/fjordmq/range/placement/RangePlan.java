package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The next step that brings the replicas of one range closer to what they should be.
 *
 * <p>Voters are added before others leave, one at a time. A node changes its role in a single
 * change: the Raft library lets it leave and rejoin, which takes milliseconds. With two steps, the
 * node would be outside its group for a while, and every SUBSCRIBE would have to wait for it.
 */
final class RangePlan {
  private static final String NODES_REQUIRED =
      "; start the nodes that it waits for (see status) or, if they are lost, remove them with "
          + "'bin/standalone.sh remove-node ID'";

  private final PlacementView view;
  private final PlacedRange range;
  private final NodeId leader;
  private final ReplicaSet current;
  private final Set<NodeId> voters;
  private final Set<NodeId> learners;

  /**
   * @param range has a leader
   * @param others nodes that should be learners even if the store does not require one on every
   *     node
   */
  RangePlan(
      PlacementView view,
      PlacedRange range,
      Set<NodeId> wantedVoters,
      boolean onEveryNode,
      Set<NodeId> others) {
    this.view = view;
    this.range = range;
    this.leader = Objects.requireNonNull(range.leader());
    this.current = range.replicas();
    this.voters = wantedVoters;
    this.learners = onEveryNode ? allOtherNodes() : new HashSet<>(others);
    this.learners.removeAll(voters);
    this.learners.removeAll(range.rebuilding());
  }

  private Set<NodeId> allOtherNodes() {
    Set<NodeId> others = new HashSet<>();
    Set<NodeId> members = range.members();
    view.nodes()
        .forEach(
            (node, member) -> {
              boolean mayReturn = members.contains(node) && !member.lost();
              if (!voters.contains(node) && (member.isAlive() || mayReturn)) {
                others.add(node);
              }
            });
    return others;
  }

  /** Returns null if the range is healthy, or no step is currently possible. */
  @Nullable Step next() {
    if (!range.isPublished()) {
      return new Step.Publish(range.id(), current);
    }
    Step step = transferLeadership();
    step = step == null ? ensure() : step;
    step = step == null ? addVoter() : step;
    step = step == null ? removeVoter() : step;
    step = step == null ? changeLearners() : step;
    step = step == null ? drop() : step;
    return step == null ? forget() : step;
  }

  /**
   * Moves leadership from a node that is not UP, such as DRAINING or FULL, to a voter that is UP.
   */
  private @Nullable Step transferLeadership() {
    if (view.isUp(leader)) {
      return null;
    }
    NodeId target = successor(leader);
    return target == null ? null : new Step.Transfer(range.id(), leader, target);
  }

  /** Returns the node that can lead instead of this one, preferably one that stays a voter. */
  private @Nullable NodeId successor(NodeId currentLeader) {
    return current.voters().stream()
        .filter(node -> !node.equals(currentLeader) && view.isUp(node) && range.isInService(node))
        .min(
            Comparator.<NodeId, Boolean>comparing(node -> !node.equals(pinnedLeader()))
                .thenComparing(node -> !voters.contains(node))
                .thenComparing(NodeSets.ORDER))
        .orElse(null);
  }

  private @Nullable NodeId pinnedLeader() {
    RangePin pin = view.pins().get(range.id());
    return pin == null ? null : pin.leader();
  }

  /** Returns whether an operator chose the leader, and that node can lead. */
  boolean hasPinnedLeader() {
    NodeId pinned = pinnedLeader();
    return pinned != null
        && current.voters().contains(pinned)
        && view.isUp(pinned)
        && range.isInService(pinned);
  }

  /** Returns null if the pinned leader leads. */
  @Nullable Step restoreLeader() {
    NodeId pinned = pinnedLeader();
    return pinned == null || pinned.equals(leader)
        ? null
        : new Step.Transfer(range.id(), leader, pinned);
  }

  private @Nullable Step ensure() {
    for (Set<NodeId> members : List.of(voters, learners)) {
      for (NodeId node : NodeSets.missing(members, range.members())) {
        if (view.reports().containsKey(node)
            && !range.holders().containsKey(node)
            && !range.retired().contains(node)
            && !new OutdatedReplicas(view).blocks(range, node)) {
          return new Step.Ensure(range.id(), node, current);
        }
      }
    }
    return null;
  }

  private @Nullable Step addVoter() {
    for (NodeId node : NodeSets.missing(voters, current.voters())) {
      if (view.isAlive(node) && range.isInService(node)) {
        return change(
            NodeSets.with(current.voters(), node), NodeSets.without(current.learners(), node));
      }
    }
    return null;
  }

  private @Nullable Step removeVoter() {
    if (!current.voters().containsAll(voters)) {
      return null; // the new voters are not in the group yet
    }
    List<NodeId> leaving =
        current.voters().stream()
            .filter(node -> !voters.contains(node))
            .sorted(
                Comparator.<NodeId, Boolean>comparing(node -> node.equals(leader))
                    .thenComparing(node -> view.isAlive(node) && range.isInService(node))
                    .thenComparing(NodeSets.ORDER))
            .toList();
    if (leaving.isEmpty()
        || !wouldHaveMajority(NodeSets.without(current.voters(), leaving.get(0)))) {
      return null;
    }
    NodeId first = leaving.get(0);
    if (!first.equals(leader)) {
      boolean stays = learners.contains(first) && range.isInService(first);
      return change(
          NodeSets.without(current.voters(), first),
          stays ? NodeSets.with(current.learners(), first) : current.learners());
    }
    NodeId target = successor(leader);
    return target == null ? null : new Step.Transfer(range.id(), leader, target);
  }

  /**
   * Returns whether the remaining voters would have a majority. A live voter may lack a replica, if
   * it missed the split that created the range.
   */
  private boolean wouldHaveMajority(Set<NodeId> remaining) {
    long confirming =
        remaining.stream().filter(node -> view.isAlive(node) && range.isInService(node)).count();
    return confirming * 2 > remaining.size();
  }

  private @Nullable Step changeLearners() {
    Set<NodeId> next = new HashSet<>();
    for (NodeId node : learners) {
      boolean follows = current.learners().contains(node);
      if (!current.voters().contains(node) && (follows || range.isInService(node))) {
        next.add(node);
      }
    }
    return next.equals(current.learners()) ? null : change(current.voters(), next);
  }

  private Step change(Set<NodeId> nextVoters, Set<NodeId> nextLearners) {
    return new Step.Change(range.id(), leader, current, new ReplicaSet(nextVoters, nextLearners));
  }

  /**
   * Removes a replica that is not in the group and is not being added to it. Does nothing while a
   * member of the cluster is down: a removed replica could not come back before that member does,
   * but an existing one can rejoin.
   */
  private @Nullable Step drop() {
    List<NodeId> removable = removable().stream().filter(node -> !isHeld(node)).toList();
    if (removable.isEmpty() || isAnyReportMissing()) {
      return null;
    }
    long asOf = range.leaderReport().appliedIndex();
    return new Step.Drop(range.id(), removable.get(0), leader, current, asOf);
  }

  /**
   * Returns whether an operator canceled the removal of the replica; a broken one is removed in any
   * case.
   */
  private boolean isHeld(NodeId node) {
    return view.held().contains(range.id()) && !isBroken(node);
  }

  private boolean isBroken(NodeId node) {
    return Objects.requireNonNull(range.holders().get(node)).broken();
  }

  /** Returns the nodes whose replica is not in the group and is not being added to it. */
  private List<NodeId> removable() {
    return range.holders().keySet().stream()
        .filter(node -> !voters.contains(node) && !learners.contains(node))
        .filter(node -> !range.members().contains(node) && !isAwaitedByOthers(node))
        .toList();
  }

  /**
   * Returns whether another range has this node as a member, and its replica there would arrive
   * with a split of this range.
   */
  private boolean isAwaitedByOthers(NodeId node) {
    ReplicaReport holder = Objects.requireNonNull(range.holders().get(node));
    return view.published().values().stream()
        .filter(other -> other.id().store().equals(range.id().store()))
        .filter(other -> !other.id().equals(range.id()))
        .filter(other -> other.interval().overlaps(holder.keys()))
        .map(other -> new PlacedRange(other, view.reports()))
        .anyMatch(other -> other.members().contains(node) && !other.holders().containsKey(node));
  }

  private boolean isAnyReportMissing() {
    return !view.reports().keySet().containsAll(view.nodes().keySet());
  }

  /**
   * Lets a node have a replica again once no other replica lists the old one as a member. Otherwise
   * a node that was down and has an outdated view of the group could request a vote from the new
   * replica, which would grant it without having the log of the old one. Therefore nothing is
   * forgotten while a member of the cluster is down.
   */
  private @Nullable Step forget() {
    if (isAnyReportMissing()) {
      return null;
    }
    for (NodeId node : range.retired()) {
      if (range.holders().values().stream().noneMatch(holder -> holder.mayCountAsMember(node))) {
        return new Step.Forget(range.id(), node);
      }
    }
    return null;
  }

  /**
   * Returns the changes of replicas in this plan, whether or not a step is possible now.
   *
   * @param mandatoryReason why the voters must change even if an operator cancels it; null if they
   *     may stay
   */
  List<ReplicaChange> changes(@Nullable String mandatoryReason) {
    List<ReplicaChange> changes = new ArrayList<>();
    if (!voters.equals(current.voters())) {
      changes.add(voterChange(mandatoryReason));
    }
    removable().stream()
        .filter(node -> !isHeld(node))
        .forEach(node -> changes.add(removalFrom(node)));
    range.retired().forEach(node -> changes.add(newReplicaOn(node)));
    return changes;
  }

  private ReplicaChange voterChange(@Nullable String mandatoryReason) {
    return new ReplicaChange(
        "changing the voters from %s to %s"
            .formatted(sortedIds(current.voters()), sortedIds(voters)),
        mandatoryReason == null ? null : mandatoryReason + NODES_REQUIRED);
  }

  private ReplicaChange removalFrom(NodeId node) {
    return new ReplicaChange(
        PendingSteps.describeRemoval(node.value()),
        isBroken(node)
            ? "the replica is broken and must be replaced by an empty one" + NODES_REQUIRED
            : null);
  }

  private static ReplicaChange newReplicaOn(NodeId node) {
    return new ReplicaChange(
        "allowing a new replica on node " + node,
        "another node may still rely on the vote of the removed replica" + NODES_REQUIRED);
  }

  /** Returns the steps that have to wait. Must be called if there is no next step. */
  List<PendingStep> pending(@Nullable String mandatoryReason) {
    List<PendingStep> pending = new ArrayList<>();
    String voterMove = pendingVoterReason();
    if (voterMove != null) {
      pending.add(pendingStep(voterChange(mandatoryReason), voterMove));
    }
    String missingReports = NodeSets.missingReports(view);
    for (NodeId node : removable()) {
      if (missingReports != null && !isHeld(node)) {
        pending.add(pendingStep(removalFrom(node), missingReports));
      }
    }
    for (NodeId node : range.retired()) {
      String reason =
          missingReports == null
              ? "other replicas still list the removed replica as a member"
              : missingReports;
      pending.add(pendingStep(newReplicaOn(node), reason));
    }
    return pending;
  }

  private PendingStep pendingStep(ReplicaChange change, String reason) {
    return new PendingStep(range.id(), change.description(), reason, change.isCancelable());
  }

  /** Returns null if the range has the voters that it should have. */
  private @Nullable String pendingVoterReason() {
    for (NodeId node : NodeSets.missing(voters, current.voters())) {
      String reason = ineligibleReason(node);
      if (reason != null) {
        return reason;
      }
    }
    List<NodeId> leaving = NodeSets.missing(current.voters(), voters);
    if (leaving.isEmpty()) {
      return null;
    }
    List<NodeId> absent =
        NodeSets.sorted(current.voters()).stream()
            .filter(node -> !view.isAlive(node) || !range.isInService(node))
            .toList();
    return absent.isEmpty()
        ? "no other voter can lead instead of node " + leader
        : "without %s, the voters in service would not form a majority; out of service: %s"
            .formatted(sortedIds(leaving), sortedIds(absent));
  }

  private @Nullable String ineligibleReason(NodeId node) {
    if (!view.reports().containsKey(node)) {
      return NodeSets.missingReportReason(view, node);
    } else if (range.retired().contains(node)) {
      return "node " + node + " cannot get a new replica until its old one is forgotten";
    } else if (!range.holders().containsKey(node)) {
      return "node " + node + " has a replica from before the range was split";
    }
    return range.isInService(node) ? null : "the replica on node " + node + " is out of service";
  }

  private static List<NodeId> sortedIds(Collection<NodeId> nodes) {
    return NodeSets.sorted(nodes);
  }
}
