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
 * change: the Raft library lets it leave and rejoin, which takes milliseconds. As two steps, the
 * node would be outside its group in between, and every SUBSCRIBE waits until all nodes have
 * applied it.
 */
final class RangePlan {
  private final PlacementView view;
  private final PlacedRange range;
  private final NodeId leader;
  private final ReplicaSet now;
  private final Set<NodeId> voters;
  private final Set<NodeId> learners;

  /**
   * @param range has a leader
   * @param others nodes that should be learners even if the store does not want one on every node
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
    this.now = range.replicas();
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
              boolean maybeBackSoon = members.contains(node) && !member.lost();
              if (!voters.contains(node) && (member.isAlive() || maybeBackSoon)) {
                others.add(node);
              }
            });
    return others;
  }

  /** Null if the range is healthy, or no step is possible at the moment. */
  @Nullable Step next() {
    if (!range.isPublished()) {
      return new Step.Publish(range.id(), now);
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
   * A node that is about to stop, or whose disk is in trouble, leads nothing if another one can.
   */
  private @Nullable Step transferLeadership() {
    if (view.isUp(leader)) {
      return null;
    }
    NodeId target = successor(leader);
    return target == null ? null : new Step.Transfer(range.id(), leader, target);
  }

  /** The node that can lead instead of this one, preferably one that stays a voter. */
  private @Nullable NodeId successor(NodeId instead) {
    return now.voters().stream()
        .filter(node -> !node.equals(instead) && view.isUp(node) && range.isInService(node))
        .min(
            Comparator.<NodeId, Boolean>comparing(node -> !voters.contains(node))
                .thenComparing(Nodes.ORDER))
        .orElse(null);
  }

  private @Nullable Step ensure() {
    for (Set<NodeId> wanted : List.of(voters, learners)) {
      for (NodeId node : Nodes.missing(wanted, range.members())) {
        if (view.reports().containsKey(node)
            && !range.holders().containsKey(node)
            && !range.retired().contains(node)
            && !new OutdatedReplicas(view).block(range, node)) {
          return new Step.Ensure(range.id(), node, now);
        }
      }
    }
    return null;
  }

  private @Nullable Step addVoter() {
    for (NodeId node : Nodes.missing(voters, now.voters())) {
      if (view.isAlive(node) && range.isInService(node)) {
        return change(Nodes.with(now.voters(), node), Nodes.without(now.learners(), node));
      }
    }
    return null;
  }

  private @Nullable Step removeVoter() {
    if (!now.voters().containsAll(voters)) {
      return null; // the new voters are not in the group yet
    }
    List<NodeId> leaving =
        now.voters().stream()
            .filter(node -> !voters.contains(node))
            .sorted(
                Comparator.<NodeId, Boolean>comparing(node -> node.equals(leader))
                    .thenComparing(node -> view.isAlive(node) && range.isInService(node))
                    .thenComparing(Nodes.ORDER))
            .toList();
    if (leaving.isEmpty() || !wouldHaveMajority(Nodes.without(now.voters(), leaving.get(0)))) {
      return null;
    }
    NodeId first = leaving.get(0);
    if (!first.equals(leader)) {
      boolean stays = learners.contains(first) && range.isInService(first);
      return change(
          Nodes.without(now.voters(), first),
          stays ? Nodes.with(now.learners(), first) : now.learners());
    }
    NodeId target = successor(leader);
    return target == null ? null : new Step.Transfer(range.id(), leader, target);
  }

  /** A live voter may lack a replica, if it missed the split that created the range. */
  private boolean wouldHaveMajority(Set<NodeId> remaining) {
    long confirming =
        remaining.stream().filter(node -> view.isAlive(node) && range.isInService(node)).count();
    return confirming * 2 > remaining.size();
  }

  private @Nullable Step changeLearners() {
    Set<NodeId> next = new HashSet<>();
    for (NodeId node : learners) {
      boolean follows = now.learners().contains(node);
      if (!now.voters().contains(node) && (follows || range.isInService(node))) {
        next.add(node);
      }
    }
    return next.equals(now.learners()) ? null : change(now.voters(), next);
  }

  private Step change(Set<NodeId> nextVoters, Set<NodeId> nextLearners) {
    return new Step.Change(range.id(), leader, now, new ReplicaSet(nextVoters, nextLearners));
  }

  /**
   * Removes a replica that is not in the group and not about to be. Not while a member of the
   * cluster is down: a removed replica could not come back before that member does, a kept one can.
   */
  private @Nullable Step drop() {
    List<NodeId> removable = removable();
    if (removable.isEmpty() || isAnyReportMissing()) {
      return null;
    }
    long asOf = range.leaderReport().appliedIndex();
    return new Step.Drop(range.id(), removable.get(0), leader, now, asOf);
  }

  /** The nodes whose replica is not in the group and not about to be. */
  private List<NodeId> removable() {
    return range.holders().keySet().stream()
        .filter(node -> !voters.contains(node) && !learners.contains(node))
        .filter(node -> !range.members().contains(node) && !isAwaitedByOthers(node))
        .toList();
  }

  /**
   * Whether another range counts a replica on the node that would arrive with a split of this
   * range.
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
   * Lets a node have a replica again once no replica believes that it still has the old one.
   * Otherwise a node that was down, with an outdated idea of the group, could ask the new replica
   * for its vote, which it would give without the log of the old one. So not while a member of the
   * cluster is down.
   */
  private @Nullable Step forget() {
    if (isAnyReportMissing()) {
      return null;
    }
    for (NodeId node : range.retired()) {
      if (range.holders().values().stream().noneMatch(holder -> holder.mayCount(node))) {
        return new Step.Forget(range.id(), node);
      }
    }
    return null;
  }

  /** The steps that have to wait; call it if there is no next step. */
  List<PendingStep> pending() {
    List<PendingStep> pending = new ArrayList<>();
    String voterMove = whyVotersStay();
    if (voterMove != null) {
      String what = "changing its voters from %s to %s".formatted(ids(now.voters()), ids(voters));
      boolean byLoad = view.moves().containsKey(range.id());
      pending.add(new PendingStep(range.id(), what, voterMove, byLoad));
    }
    String away = Nodes.missingReports(view);
    for (NodeId node : removable()) {
      if (away != null) {
        pending.add(new PendingStep(range.id(), PendingSteps.removing(node.value()), away, false));
      }
    }
    for (NodeId node : range.retired()) {
      String what = "allowing a new replica on node " + node;
      String counting = away == null ? "other replicas still count the old one" : away;
      pending.add(new PendingStep(range.id(), what, counting, false));
    }
    return pending;
  }

  /** Null if the range has the voters that it should have. */
  private @Nullable String whyVotersStay() {
    for (NodeId node : Nodes.missing(voters, now.voters())) {
      String why = whyNoVoter(node);
      if (why != null) {
        return why;
      }
    }
    List<NodeId> leaving = Nodes.missing(now.voters(), voters);
    if (leaving.isEmpty()) {
      return null;
    }
    List<NodeId> absent =
        Nodes.sorted(now.voters()).stream()
            .filter(node -> !view.isAlive(node) || !range.isInService(node))
            .toList();
    return absent.isEmpty()
        ? "no other voter can lead instead of node " + leader
        : "without %s the voters in service are not a majority; out of service: %s"
            .formatted(ids(leaving), ids(absent));
  }

  private @Nullable String whyNoVoter(NodeId node) {
    if (!view.reports().containsKey(node)) {
      return Nodes.whyNoReport(view, node);
    } else if (range.retired().contains(node)) {
      return "node " + node + " cannot have a new replica before the old one is forgotten";
    } else if (!range.holders().containsKey(node)) {
      return "node " + node + " has a replica of the range as it was before a split";
    }
    return range.isInService(node) ? null : "the replica on node " + node + " is out of service";
  }

  private static List<NodeId> ids(Collection<NodeId> nodes) {
    return Nodes.sorted(nodes);
  }
}
