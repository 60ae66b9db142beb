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
  final Map<NodeId, PlacementView.Node> nodes = new TreeMap<>(Nodes.ORDER);
  final Map<RangeId, Group> groups = new HashMap<>();

  /** The actual state of one range's group. */
  static final class Group {
    ReplicaSet published;
    ReplicaSet now;
    @Nullable NodeId leader;

    /** The nodes with a replica, and the members that each replica believes its group to have. */
    final Map<NodeId, ReplicaSet> holders = new TreeMap<>(Nodes.ORDER);

    final Set<NodeId> retired = new HashSet<>();

    /** Load of the range, the same on any leader. */
    long requests;

    Group(ReplicaSet now) {
      this.now = now;
      this.published = now;
      now.voters().forEach(node -> holders.put(node, now));
      now.learners().forEach(node -> holders.put(node, now));
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

  Set<NodeId> in(Member.State... states) {
    Set<NodeId> found = new HashSet<>(nodes.keySet());
    found.removeIf(
        node -> !List.of(states).contains(Objects.requireNonNull(nodes.get(node)).state()));
    return found;
  }

  void set(NodeId node, Member.State state, boolean lost) {
    nodes.put(node, new PlacementView.Node(state, state == Member.State.DOWN && lost));
  }

  /** The node has been removed permanently, so its view no longer matters. */
  void remove(NodeId node) {
    nodes.remove(node);
  }

  /**
   * Groups that have lost their leader elect another one if they can; live members learn the
   * current state.
   */
  void settle() {
    for (Group group : groups.values()) {
      if (!hasMajority(group)) {
        group.leader = null;
      } else if (group.leader == null || !isAlive(group.leader) || !votes(group, group.leader)) {
        group.leader = firstAlive(group);
      }
      if (group.leader != null) {
        group.holders.replaceAll(
            (node, knows) -> isAlive(node) && isMember(group, node) ? group.now : knows);
      }
    }
  }

  private static boolean votes(Group group, NodeId node) {
    return group.now.voters().contains(node);
  }

  private static boolean isMember(Group group, NodeId node) {
    return counts(group.now, node);
  }

  boolean hasMajority(Group group) {
    return aliveVoters(group.now) * 2 > group.now.voters().size();
  }

  private long aliveVoters(ReplicaSet set) {
    return set.voters().stream().filter(this::isAlive).count();
  }

  private NodeId firstAlive(Group group) {
    return Nodes.sorted(group.now.voters()).stream()
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
              (node, knows) -> {
                if (isAlive(node)) {
                  Objects.requireNonNull(reports.get(node)).add(report(id, group, node, knows));
                }
              });
        });
    Map<NodeId, RangeReports> all = new HashMap<>();
    reports.forEach(
        (node, replicas) -> all.put(node, new RangeReports(1, replicas, retired(node))));
    return new PlacementView(
        nodes, published, all, Set.of(), inCooldown, PlacementView.Merges.NONE);
  }

  private Set<RangeId> retired(NodeId node) {
    Set<RangeId> retired = new HashSet<>(groups.keySet());
    retired.removeIf(range -> !Objects.requireNonNull(groups.get(range)).retired.contains(node));
    return retired;
  }

  private static ReplicaReport report(RangeId id, Group group, NodeId node, ReplicaSet knows) {
    ReplicaStatus.Role role =
        node.equals(group.leader) ? ReplicaStatus.Role.LEADER : ReplicaStatus.Role.VOTER;
    RangeLoadReport shape =
        node.equals(group.leader)
            ? new RangeLoadReport(
                60, group.requests, group.requests, 0, 0, "cold", null, false, false)
            : null;
    return new ReplicaReport(
        id, RangeEpoch.FIRST, KeyInterval.ALL, role, 1, knows, 10, 10, null, null, shape);
  }

  /** Carries out the planned steps; fails if one of them is not allowed. */
  void apply(List<Step> steps) {
    assertThat(steps.stream().map(Step::range))
        .as("one step for each range")
        .doesNotHaveDuplicates();
    steps.forEach(this::apply);
    settle();
  }

  private void apply(Step step) {
    Group group = Objects.requireNonNull(groups.get(step.range()));
    if (step instanceof Step.Publish publish) {
      assertThat(publish.replicas()).isEqualTo(group.now).isNotEqualTo(group.published);
      group.published = publish.replicas();
    } else if (step instanceof Step.Ensure ensure) {
      assertThat(isAlive(ensure.node())).isTrue();
      assertThat(group.holders).doesNotContainKey(ensure.node());
      assertThat(ensure.members()).isEqualTo(group.now);
      assertThat(isMember(group, ensure.node())).isFalse();
      assertThat(group.retired).doesNotContain(ensure.node());
      group.holders.put(ensure.node(), ensure.members());
    } else if (step instanceof Step.Change change) {
      change(group, change);
    } else if (step instanceof Step.Transfer transfer) {
      assertThat(transfer.leader()).isEqualTo(group.leader).isNotEqualTo(transfer.target());
      assertThat(group.now.voters()).contains(transfer.target());
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
          .noneMatch(holder -> counts(holder.getValue(), forget.node()));
      group.retired.remove(forget.node());
    }
  }

  private static boolean counts(ReplicaSet knows, NodeId node) {
    return knows.voters().contains(node) || knows.learners().contains(node);
  }

  private void change(Group group, Step.Change change) {
    assertThat(change.leader()).isEqualTo(group.leader);
    assertThat(change.from()).isEqualTo(group.now);
    Set<NodeId> before = group.now.voters();
    Set<NodeId> after = change.to().voters();
    Set<NodeId> different = new HashSet<>(Nodes.missing(before, after));
    different.addAll(Nodes.missing(after, before));
    assertThat(different).as("one voter at a time: %s", change).hasSizeLessThanOrEqualTo(1);
    assertThat(after).as("the leader stays: %s", change).contains(change.leader());
    assertThat(aliveVoters(change.to()) * 2)
        .as("live voters keep the majority: %s", change)
        .isGreaterThan(after.size());
    assertThat(Collections.disjoint(change.to().learners(), after)).as("%s", change).isTrue();
    Set<NodeId> members = new HashSet<>(after);
    members.addAll(change.to().learners());
    assertThat(group.holders.keySet()).as("the replica exists: %s", change).containsAll(members);
    group.now = change.to();
  }
}
