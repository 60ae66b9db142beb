package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;

/**
 * Following the plan reaches the desired state from any initial state, without any dangerous step.
 */
class PlacementPlanPropertyTest {
  private static final int MAX_ROUNDS = 400;
  private static final String STORE = "words";

  @Property(tries = 150)
  void shouldConvergeDespiteFailuresInFewTries(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 6) int nodes,
      @ForAll @IntRange(min = 1, max = 9) int ranges,
      @ForAll @IntRange(min = 1, max = 5) int voters,
      @ForAll boolean onEveryNode) {
    shouldConvergeDespiteFailures(seed, nodes, ranges, voters, onEveryNode);
  }

  @Property(tries = 1500)
  @Tag("slow")
  void shouldConvergeDespiteFailures(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 6) int nodes,
      @ForAll @IntRange(min = 1, max = 9) int ranges,
      @ForAll @IntRange(min = 1, max = 5) int voters,
      @ForAll boolean onEveryNode) {
    Random random = new Random(seed);
    ModelCluster cluster = cluster(random, nodes, ranges);
    injectFaults(random, cluster, new StorePlacement(STORE, 1 + random.nextInt(5), onEveryNode));
    StorePlacement target = new StorePlacement(STORE, voters, onEveryNode);
    injectFaults(random, cluster, target);
    assertConverges(cluster, target);
    assertMatchesPlacement(cluster, target);
  }

  private static ModelCluster cluster(Random random, int nodes, int ranges) {
    ModelCluster cluster = new ModelCluster();
    List<NodeId> ids = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      ids.add(new NodeId("n" + i));
      cluster.set(ids.get(i), Member.State.UP, false);
    }
    for (int i = 1; i <= ranges; i++) {
      Collections.shuffle(ids, random);
      int voting = 1 + random.nextInt(Math.min(nodes, 5));
      int learning = random.nextInt(nodes - voting + 1);
      ReplicaSet set =
          new ReplicaSet(
              new HashSet<>(ids.subList(0, voting)),
              new HashSet<>(ids.subList(voting, voting + learning)));
      ModelCluster.Group group = new ModelCluster.Group(set);
      group.requests = random.nextInt(3) * random.nextInt(5_000);
      cluster.groups.put(new RangeId(STORE, i), group);
    }
    cluster.electLeaders();
    return cluster;
  }

  private static final Set<Member.State> TRANSIENT_STATES =
      Set.of(Member.State.FULL, Member.State.SLOW, Member.State.STARTING);

  private static final List<Member.State> NON_LEADING_STATES =
      List.of(Member.State.DRAINING, Member.State.FULL, Member.State.SLOW, Member.State.STARTING);

  /** Nodes join, leave, drain and have disk failures while the plan is followed. */
  private static void injectFaults(Random random, ModelCluster cluster, StorePlacement store) {
    List<NodeId> ids = List.copyOf(cluster.nodes.keySet());
    for (int round = random.nextInt(20); round > 0; round--) {
      NodeId node = ids.get(random.nextInt(ids.size()));
      if (!cluster.nodes.containsKey(node)) {
        continue; // it was removed
      }
      int kind = random.nextInt(10);
      if (kind < 2) {
        cluster.set(node, Member.State.DOWN, random.nextBoolean());
      } else if (kind < 3) {
        cluster.set(node, NON_LEADING_STATES.get(random.nextInt(NON_LEADING_STATES.size())), false);
      } else if (kind < 4) {
        cluster.set(node, Member.State.LEAVING, false);
      } else if (kind < 5 && !cluster.isAlive(node) && cluster.nodes.size() > 1) {
        cluster.remove(node);
      } else if (kind < 6) {
        cluster.set(node, Member.State.UP, false);
      }
      cluster.electLeaders();
      Set<RangeId> inCooldown = new HashSet<>(cluster.groups.keySet());
      inCooldown.removeIf(range -> random.nextInt(3) > 0);
      Set<RangeId> held = new HashSet<>(cluster.groups.keySet());
      held.removeIf(range -> random.nextInt(4) > 0);
      PlacementView view = cluster.view(inCooldown).withHeld(held);
      List<Step> steps = PlacementPlan.steps(view, List.of(store));
      assertNoLeadershipFor(NON_LEADING_STATES, cluster, steps);
      assertHeld(view, store, steps);
      cluster.apply(steps);
    }
    // Nodes that are starting or have disk failures keep their votes: in the end they recover.
    ids.stream()
        .filter(cluster.nodes::containsKey)
        .filter(
            node ->
                TRANSIENT_STATES.contains(Objects.requireNonNull(cluster.nodes.get(node)).state()))
        .forEach(node -> cluster.set(node, Member.State.UP, false));
    ids.stream()
        .filter(node -> cluster.nodes.containsKey(node) && !cluster.isAlive(node))
        .forEach(node -> cluster.set(node, Member.State.DOWN, true));
    cluster.electLeaders();
  }

  /** An operator canceled the changes of these ranges: only necessary steps continue. */
  private static void assertHeld(PlacementView view, StorePlacement store, List<Step> steps) {
    for (Step step : steps) {
      if (!view.held().contains(step.range())) {
        continue;
      }
      assertThat(step).isNotInstanceOf(Step.Drop.class);
      PlacedRange range =
          new PlacedRange(
              Objects.requireNonNull(view.published().get(step.range())), view.reports());
      if (step instanceof Step.Change change
          && !change.from().voters().equals(change.to().voters())) {
        assertThat(VoterAssignment.changeReason(view, store.voters(), range))
            .as("%s", step)
            .isNotNull();
      }
    }
  }

  private static void assertNoLeadershipFor(
      List<Member.State> states, ModelCluster cluster, List<Step> steps) {
    for (Step step : steps) {
      if (step instanceof Step.Transfer transfer) {
        assertThat(Objects.requireNonNull(cluster.nodes.get(transfer.target())).state())
            .as("%s", transfer)
            .isNotIn(states);
      }
    }
  }

  private static void assertConverges(ModelCluster cluster, StorePlacement store) {
    List<Step> steps = List.of();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      steps = PlacementPlan.steps(cluster.view(Set.of()), List.of(store));
      if (steps.isEmpty()) {
        return;
      }
      Map<RangeId, Set<NodeId>> before = servingMembers(cluster);
      cluster.apply(steps);
      if (store.onEveryNode()) {
        assertNoReplicaExcluded(before, servingMembers(cluster), steps);
      }
    }
    assertThat(steps).as("steps left after %d rounds", MAX_ROUNDS).isEmpty();
  }

  /**
   * The replicas that every write reaches: no step may exclude one of them, not even temporarily.
   */
  private static Map<RangeId, Set<NodeId>> servingMembers(ModelCluster cluster) {
    Map<RangeId, Set<NodeId>> serving = new HashMap<>();
    cluster.groups.forEach(
        (range, group) -> {
          Set<NodeId> members = new HashSet<>(group.current.voters());
          members.addAll(group.current.learners());
          members.removeIf(node -> !cluster.isAlive(node));
          serving.put(range, members);
        });
    return serving;
  }

  private static void assertNoReplicaExcluded(
      Map<RangeId, Set<NodeId>> before, Map<RangeId, Set<NodeId>> after, List<Step> steps) {
    before.forEach(
        (range, members) ->
            assertThat(after.get(range)).as("%s after %s", range, steps).containsAll(members));
  }

  private static void assertMatchesPlacement(ModelCluster cluster, StorePlacement store) {
    Set<NodeId> up = cluster.up();
    List<ModelCluster.Group> led =
        cluster.groups.values().stream().filter(group -> group.leader != null).toList();
    for (ModelCluster.Group group : led) {
      Set<NodeId> voters = group.current.voters();
      assertThat(group.published).isEqualTo(group.current);
      if (!group.retired.isEmpty()) {
        continue; // a node that is down keeps another one from taking part
      }
      if (up.size() >= store.voters()) {
        assertThat(cluster.withStates(Member.State.UP, Member.State.DRAINING)).containsAll(voters);
        assertThat(voters).hasSize(store.voters());
      } else if (voters.size() < store.voters()) { // with those that are stopping
        assertThat(voters).containsAll(up);
      }
      boolean allAreUp = cluster.nodes.keySet().stream().allMatch(cluster::isAlive);
      if (!up.isEmpty() && allAreUp) {
        assertThat(voters)
            .as("leaving and removed nodes do not vote")
            .allMatch(cluster.withStates(Member.State.UP, Member.State.DRAINING)::contains);
      }
      if (!up.isEmpty()) {
        assertThat(up).as("stopping nodes do not lead").contains(group.leader);
      }
      assertLearners(cluster, store, group);
    }
    boolean canLead = led.stream().allMatch(group -> group.retired.isEmpty());
    if (canLead && led.size() == cluster.groups.size()) {
      assertThat(spread(up, led, group -> group.current.voters())).isLessThanOrEqualTo(1);
      assertLeadersAreBalanced(up, led);
      assertNoExchangeOfLeadersHelps(up, led);
    }
  }

  /**
   * Neither moving one leadership nor swapping two between the most and the least loaded node
   * helps.
   */
  private static void assertNoExchangeOfLeadersHelps(
      Set<NodeId> up, List<ModelCluster.Group> groups) {
    Map<NodeId, Long> loads = new TreeMap<>(NodeSets.ORDER);
    groups.forEach(
        group ->
            group.current.voters().stream()
                .filter(up::contains)
                .forEach(voter -> loads.putIfAbsent(voter, 0L)));
    groups.forEach(
        group -> loads.merge(Objects.requireNonNull(group.leader), group.requests, Long::sum));
    loads.keySet().retainAll(up);
    if (loads.size() < 2 || !groups.stream().allMatch(g -> g.current.voters().containsAll(up))) {
      return;
    }
    long most = Collections.max(loads.values());
    long least = Collections.min(loads.values());
    if (most - least < Math.max(500, 0.3 * most)) {
      return;
    }
    for (ModelCluster.Group given : groups) {
      for (ModelCluster.Group taken : groups) {
        long from = loads.getOrDefault(given.leader, 0L);
        long to = loads.getOrDefault(taken.leader, 0L);
        long moved = given.requests - taken.requests;
        if (from == most && to == least) {
          assertThat(Math.max(from - moved, to + moved))
              .as("%s and %s could lead each other's ranges", given.leader, taken.leader)
              .isGreaterThan((long) (0.9 * most));
        }
      }
    }
  }

  private static void assertLearners(
      ModelCluster cluster, StorePlacement store, ModelCluster.Group group) {
    Set<NodeId> others = new HashSet<>(cluster.nodes.keySet());
    others.removeIf(node -> !cluster.isAlive(node) || group.current.voters().contains(node));
    assertThat(group.current.learners()).isEqualTo(store.onEveryNode() ? others : Set.of());
    if (cluster.nodes.keySet().stream().allMatch(cluster::isAlive)) {
      Set<NodeId> members = new HashSet<>(group.current.voters());
      members.addAll(group.current.learners());
      Set<NodeId> holders = new HashSet<>(group.holders.keySet());
      holders.retainAll(cluster.nodes.keySet());
      assertThat(holders).as("replicas that are not needed are removed").isEqualTo(members);
      assertThat(group.retired).as("and forgotten").isEmpty();
    }
  }

  private static int spread(
      Set<NodeId> up,
      List<ModelCluster.Group> groups,
      Function<ModelCluster.Group, Set<NodeId>> holders) {
    Map<NodeId, Integer> load = new TreeMap<>(NodeSets.ORDER);
    up.forEach(node -> load.put(node, 0));
    groups.forEach(
        group ->
            holders.apply(group).stream()
                .filter(up::contains)
                .forEach(node -> load.merge(node, 1, Integer::sum)));
    return load.isEmpty() ? 0 : Collections.max(load.values()) - Collections.min(load.values());
  }

  /**
   * As evenly as the voters allow: among nodes that vote for every range, the numbers differ by at
   * most one.
   */
  private static void assertLeadersAreBalanced(Set<NodeId> up, List<ModelCluster.Group> groups) {
    Map<NodeId, Integer> leads = new TreeMap<>(NodeSets.ORDER);
    up.forEach(node -> leads.put(node, 0));
    groups.forEach(group -> leads.merge(Objects.requireNonNull(group.leader), 1, Integer::sum));
    for (ModelCluster.Group group : groups) {
      for (NodeId voter : group.current.voters()) {
        if (up.contains(voter)) {
          int leader = Objects.requireNonNull(leads.get(group.leader));
          int other = Objects.requireNonNull(leads.get(voter));
          assertThat(leader - other)
              .as("%s could lead instead of %s", voter, group.leader)
              .isLessThanOrEqualTo(1);
        }
      }
    }
    if (groups.stream().allMatch(group -> group.current.voters().containsAll(up))) {
      assertThat(spread(up, groups, group -> Set.of(Objects.requireNonNull(group.leader))))
          .isLessThanOrEqualTo(1);
    }
  }
}
