package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The next step towards what one range should have.
 *
 * <p>Voters come before others go, one at a time; a node is never voter and learner in one change,
 * because the Raft library could not carry it out: it leaves, then comes back as the other.
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
   * @param others who should learn it although not every node does
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
    this.learners = onEveryNode ? everybodyElse() : new HashSet<>(others);
    this.learners.removeAll(voters);
  }

  private Set<NodeId> everybodyElse() {
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

  /** Null if all is as it should be, or nothing can be done at the moment. */
  @Nullable Step next() {
    if (!range.isPublished()) {
      return new Step.Publish(range.id(), now);
    }
    Step step = giveLeadershipAway();
    step = step == null ? ensure() : step;
    step = step == null ? addVoter() : step;
    step = step == null ? removeVoter() : step;
    step = step == null ? changeLearners() : step;
    step = step == null ? drop() : step;
    return step == null ? forget() : step;
  }

  /** A node that is about to stop, or whose disk is in trouble, leads nothing if another can. */
  private @Nullable Step giveLeadershipAway() {
    if (view.isUp(leader)) {
      return null;
    }
    NodeId target = successor(leader);
    return target == null ? null : new Step.Transfer(range.id(), leader, target);
  }

  /** Who may lead instead of the node: best somebody who is to stay. */
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
            && !new OldShapes(view).block(range, node)) {
          return new Step.Ensure(range.id(), node, now);
        }
      }
    }
    return null;
  }

  private @Nullable Step addVoter() {
    for (NodeId node : Nodes.missing(voters, now.voters())) {
      if (view.isAlive(node) && range.isInService(node)) {
        return now.learners().contains(node)
            ? change(now.voters(), Nodes.without(now.learners(), node))
            : change(Nodes.with(now.voters(), node), now.learners());
      }
    }
    return null;
  }

  private @Nullable Step removeVoter() {
    if (!now.voters().containsAll(voters)) {
      return null; // those who come are not there yet
    }
    List<NodeId> leaving =
        now.voters().stream()
            .filter(node -> !voters.contains(node))
            .sorted(
                Comparator.<NodeId, Boolean>comparing(node -> node.equals(leader))
                    .thenComparing(view::isAlive)
                    .thenComparing(Nodes.ORDER))
            .toList();
    if (leaving.isEmpty() || !wouldHaveMajority(Nodes.without(now.voters(), leaving.get(0)))) {
      return null;
    }
    NodeId first = leaving.get(0);
    if (!first.equals(leader)) {
      return change(Nodes.without(now.voters(), first), now.learners());
    }
    NodeId target = successor(leader);
    return target == null ? null : new Step.Transfer(range.id(), leader, target);
  }

  /** A voter that is alive may have no replica: of a range that came from a split it missed. */
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
   * Removes a replica that is not of the group, nor to be. Not while a member of the cluster is
   * away: what is removed could not come back before that one does, what stays can.
   */
  private @Nullable Step drop() {
    if (isAnybodyAway()) {
      return null;
    }
    for (NodeId node : range.holders().keySet()) {
      boolean wanted = voters.contains(node) || learners.contains(node);
      if (!wanted && !range.members().contains(node)) {
        long asOf = range.leaderReport().appliedIndex();
        return new Step.Drop(range.id(), node, leader, now, asOf);
      }
    }
    return null;
  }

  private boolean isAnybodyAway() {
    return !view.reports().keySet().containsAll(view.nodes().keySet());
  }

  /**
   * Lets a node have a replica again, once nobody believes any more that it still has the old one:
   * somebody who was away, led by an older idea of the group, could have it vote, and the new one
   * would do so without the log of the old. So not while a member of the cluster is away.
   */
  private @Nullable Step forget() {
    if (isAnybodyAway()) {
      return null;
    }
    for (NodeId node : range.retired()) {
      if (range.holders().values().stream().noneMatch(holder -> holder.mayCount(node))) {
        return new Step.Forget(range.id(), node);
      }
    }
    return null;
  }
}
