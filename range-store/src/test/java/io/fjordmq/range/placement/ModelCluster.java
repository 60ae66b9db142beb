package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A model of nodes, groups and published ranges without time or network. It carries out steps as a
 * cluster would, and rejects steps that must never be planned.
 */
final class ModelCluster {
  final Map<NodeId, PlacementView.Node> nodes = new TreeMap<>(NodeSets.ORDER);
  final Map<RangeId, Group> groups = new HashMap<>();

  /** The actual state of one range's group. */
  static final class Group {
    ReplicaSet published;
    ReplicaSet current;
    @Nullable NodeId leader;

    /** The nodes with a replica, and the members that each replica believes its group to have. */
    final Map<NodeId, ReplicaSet> holders = new TreeMap<>(NodeSets.ORDER);

    final Set<NodeId> retired = new HashSet<>();

    /** Load of the range, the same on any leader. */
    long requests;

    Group(ReplicaSet current) {
      this.current = current;
      this.published = current;
      current.voters().forEach(node -> holders.put(node, current));
      current.learners().forEach(node -> holders.put(node, current));
    }
  }

  boolean isUp(NodeId node) {
    PlacementView.Node member = nodes.get(node);
    return member != null && member.isUp();
  }

  boolean isAlive(NodeId node) {
    PlacementView.Node member = nodes.get(node);
    return member != null && member.isAlive();
  }

  Set<NodeId> up() {
    Set<NodeId> up = new HashSet<>(nodes.keySet());
    up.removeIf(node -> !isUp(node));
    return up;
  }

  Set<NodeId> withStates(Member.State... states) {
    Set<NodeId> found = new HashSet<>(nodes.keySet());
    found.removeIf(
        node -> !List.of(states).contains(Objects.requireNonNull(nodes.get(node)).state()));
    return found;
  }

  void set(NodeId node, Member.State state, boolean lost) {
    nodes.put(node, new PlacementView.Node(state, state == Member.State.DOWN && lost));
  }

  /** Removes the node permanently; its view no longer matters. */
  void remove(NodeId node) {
    nodes.remove(node);
  }

  /**
   * Lets groups without a leader elect one if they have a majority; live members learn the current
   * state.
   */
  void electLeaders() {
    for (Group group : groups.values()) {
      if (!hasMajority(group)) {
        group.leader = null;
      } else if (group.leader == null || !isAlive(group.leader) || !isVoter(group, group.leader)) {
        group.leader = firstAlive(group);
      }
      if (group.leader != null) {
        group.holders.replaceAll(
            (node, knownMembers) ->
                isAlive(node) && isMember(group, node) ? group.current : knownMembers);
      }
    }
  }

  private static boolean isVoter(Group group, NodeId node) {
    return group.current.voters().contains(node);
  }

  private static boolean isMember(Group group, NodeId node) {
    return contains(group.current, node);
  }

  boolean hasMajority(Group group) {
    return aliveVoters(group.current) * 2 > group.current.voters().size();
  }

  private long aliveVoters(ReplicaSet set) {
    return set.voters().stream().filter(this::isAlive).count();
  }

  private NodeId firstAlive(Group group) {
    return NodeSets.sorted(group.current.voters()).stream()
        .filter(this::isAlive)
        .findFirst()
        .orElseThrow();
  }

  PlacementView view(Set<RangeId> inCooldown) {
    Map<NodeId, List<ReplicaReport>> reports = new HashMap<>();
    nodes.keySet().stream()
        .filter(this::isAlive)
        .forEach(node -> reports.put(node, new ArrayList<>()));
    Map<RangeId, RangeDescriptor> published = new HashMap<>();
    groups.forEach(
        (id, group) -> {
          published.put(
              id, new RangeDescriptor(id, KeyInterval.ALL, RangeEpoch.FIRST, group.published));
          group.holders.forEach(
              (node, knownMembers) -> {
                if (isAlive(node)) {
                  Objects.requireNonNull(reports.get(node))
                      .add(report(id, group, node, knownMembers));
                }
              });
        });
    Map<NodeId, RangeReports> reportsByNode = new HashMap<>();
    reports.forEach(
        (node, replicas) -> reportsByNode.put(node, new RangeReports(1, replicas, retired(node))));
    return new PlacementView(
        nodes, published, reportsByNode, Set.of(), inCooldown, PlacementView.Merges.NONE);
  }

  private Set<RangeId> retired(NodeId node) {
    Set<RangeId> retired = new HashSet<>(groups.keySet());
    retired.removeIf(range -> !Objects.requireNonNull(groups.get(range)).retired.contains(node));
    return retired;
  }

  private static ReplicaReport report(
      RangeId id, Group group, NodeId node, ReplicaSet knownMembers) {
    ReplicaStatus.Role role =
        node.equals(group.leader) ? ReplicaStatus.Role.LEADER : ReplicaStatus.Role.VOTER;
    RangeLoadReport load =
        node.equals(group.leader)
            ? new RangeLoadReport(
                60, group.requests, group.requests, 0, 0, "cold", null, false, false)
            : null;
    return new ReplicaReport(
        id, RangeEpoch.FIRST, KeyInterval.ALL, role, 1, knownMembers, 10, 10, null, null, load);
  }

  /** Carries out the planned steps; fails if one of them is not allowed. */
  void apply(List<Step> steps) {
    assertThat(steps.stream().map(Step::range))
        .as("one step for each range")
        .doesNotHaveDuplicates();
    steps.forEach(this::apply);
    electLeaders();
  }

  private void apply(Step step) {
    Group group = Objects.requireNonNull(groups.get(step.range()));
    if (step instanceof Step.Publish publish) {
      assertThat(publish.replicas()).isEqualTo(group.current).isNotEqualTo(group.published);
      group.published = publish.replicas();
    } else if (step instanceof Step.Ensure ensure) {
      assertThat(isAlive(ensure.node())).isTrue();
      assertThat(group.holders).doesNotContainKey(ensure.node());
      assertThat(ensure.members()).isEqualTo(group.current);
      assertThat(isMember(group, ensure.node())).isFalse();
      assertThat(group.retired).doesNotContain(ensure.node());
      group.holders.put(ensure.node(), ensure.members());
    } else if (step instanceof Step.Change change) {
      applyChange(group, change);
    } else if (step instanceof Step.Transfer transfer) {
      assertThat(transfer.leader()).isEqualTo(group.leader).isNotEqualTo(transfer.target());
      assertThat(group.current.voters()).contains(transfer.target());
      assertThat(isUp(transfer.target())).as("%s is up", transfer.target()).isTrue();
      group.leader = transfer.target();
    } else if (step instanceof Step.Drop drop) {
      assertThat(isMember(group, drop.node())).as("%s is needed", drop).isFalse();
      group.holders.remove(drop.node());
      group.retired.add(drop.node());
    } else if (step instanceof Step.Forget forget) {
      assertThat(group.holders.entrySet())
          .filteredOn(holder -> nodes.containsKey(holder.getKey()))
          .as("%s, and a replica still lists it", forget)
          .noneMatch(holder -> contains(holder.getValue(), forget.node()));
      group.retired.remove(forget.node());
    }
  }

  private static boolean contains(ReplicaSet knownMembers, NodeId node) {
    return knownMembers.voters().contains(node) || knownMembers.learners().contains(node);
  }

  private void applyChange(Group group, Step.Change change) {
    assertThat(change.leader()).isEqualTo(group.leader);
    assertThat(change.from()).isEqualTo(group.current);
    Set<NodeId> before = group.current.voters();
    Set<NodeId> after = change.to().voters();
    Set<NodeId> different = new HashSet<>(NodeSets.missing(before, after));
    different.addAll(NodeSets.missing(after, before));
    assertThat(different).as("one voter at a time: %s", change).hasSizeLessThanOrEqualTo(1);
    assertThat(after).as("the leader stays: %s", change).contains(change.leader());
    assertThat(aliveVoters(change.to()) * 2)
        .as("live voters keep the majority: %s", change)
        .isGreaterThan(after.size());
    assertThat(Collections.disjoint(change.to().learners(), after)).as("%s", change).isTrue();
    Set<NodeId> members = new HashSet<>(after);
    members.addAll(change.to().learners());
    assertThat(group.holders.keySet()).as("the replica exists: %s", change).containsAll(members);
    group.current = change.to();
  }
}
