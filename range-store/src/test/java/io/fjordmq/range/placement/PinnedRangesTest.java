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
import java.util.stream.Collectors;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Ranges whose nodes an operator has chosen. */
class PinnedRangesTest {
  private static final int MAX_ROUNDS = 400;
  private static final String STORE = "inbox";

  private final ModelCluster cluster = new ModelCluster();
  private final Map<RangeId, RangePin.Stored> pins = new HashMap<>();
  private final List<NodeId> ids = new ArrayList<>();
  private StorePlacement store = new StorePlacement(STORE, 3, false);

  private void nodes(int count) {
    for (int i = 0; i < count; i++) {
      ids.add(new NodeId("n" + i));
      cluster.set(ids.get(i), Member.State.UP, false);
    }
  }

  private RangeId range(Integer... voters) {
    RangeId id = new RangeId(STORE, cluster.groups.size() + 1L);
    Set<NodeId> set = new HashSet<>(nodes(List.of(voters)));
    cluster.groups.put(id, new ModelCluster.Group(new ReplicaSet(set, Set.of())));
    cluster.electLeaders();
    return id;
  }

  private List<NodeId> nodes(List<Integer> numbers) {
    return numbers.stream().map(ids::get).toList();
  }

  private void pin(RangeId range, @Nullable Integer leader, Integer... voters) {
    pins.put(
        range,
        new RangePin.Stored(
            new RangePin(
                new HashSet<>(nodes(List.of(voters))), leader == null ? null : ids.get(leader)),
            1));
  }

  /** One check of the driver, which removes obsolete pins. Returns the steps. */
  private List<Step> check() {
    PlacementView view = cluster.view(Set.of());
    PinCheck check = PinCheck.of(view, List.of(store), pins);
    pins.keySet().removeAll(check.obsolete().keySet());
    List<Step> steps = PlacementPlan.steps(view.withPins(check.valid()), List.of(store));
    cluster.apply(steps);
    return steps;
  }

  private void settle() {
    List<Step> steps = List.of();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      steps = check();
      if (steps.isEmpty()) {
        return;
      }
    }
    assertThat(steps).as("steps left after %d rounds", MAX_ROUNDS).isEmpty();
  }

  private ModelCluster.Group group(RangeId range) {
    return Objects.requireNonNull(cluster.groups.get(range));
  }

  private void assertVoters(RangeId range, Integer... voters) {
    assertThat(group(range).current.voters())
        .containsExactlyInAnyOrderElementsOf(nodes(List.of(voters)));
  }

  @Example
  void shouldMoveAReplicaAndLeaveItThereAlthoughVotesAreUneven() {
    nodes(4);
    RangeId moved = range(0, 1, 2);
    range(0, 1, 3);
    range(0, 2, 3);
    range(1, 2, 3);
    settle();
    pin(moved, null, 1, 2, 3);
    settle();
    assertVoters(moved, 1, 2, 3);
    assertThat(group(moved).holders).doesNotContainKey(ids.get(0));
    assertThat(pins).containsKey(moved);
    pins.clear();
    settle();
    assertThat(counts().values()).as("balanced again").allMatch(count -> count == 3);
  }

  private Map<NodeId, Long> counts() {
    return cluster.groups.values().stream()
        .flatMap(group -> group.current.voters().stream())
        .collect(Collectors.groupingBy(node -> node, Collectors.counting()));
  }

  @Example
  void shouldBalanceTheOtherRanges() {
    nodes(4);
    store = new StorePlacement(STORE, 1, false);
    for (int i = 0; i < 3; i++) {
      pin(range(0), null, 0);
    }
    range(1);
    range(1);
    range(1);
    settle();
    assertThat(counts())
        .isEqualTo(Map.of(ids.get(0), 3L, ids.get(1), 1L, ids.get(2), 1L, ids.get(3), 1L));
  }

  @Example
  void shouldTransferLeadershipAndReturnItToThePinnedLeader() {
    nodes(3);
    RangeId range = range(0, 1, 2);
    pin(range, 2, 0, 1, 2);
    settle();
    assertThat(group(range).leader).isEqualTo(ids.get(2));
    cluster.set(ids.get(2), Member.State.SLOW, false);
    settle();
    assertThat(group(range).leader).isNotEqualTo(ids.get(2));
    cluster.set(ids.get(2), Member.State.UP, false);
    settle();
    assertThat(group(range).leader).isEqualTo(ids.get(2));
  }

  @Example
  void shouldKeepAPinWhileANodeRestarts() {
    nodes(4);
    RangeId range = range(0, 1, 2);
    pin(range, null, 1, 2, 3);
    settle();
    cluster.set(ids.get(3), Member.State.DRAINING, false);
    settle();
    cluster.set(ids.get(3), Member.State.DOWN, false);
    cluster.electLeaders();
    settle();
    assertVoters(range, 1, 2, 3);
    assertThat(pins).containsKey(range);
  }

  @Example
  void shouldRemoveAPinThatCannotBeKept() {
    for (Member.State state : List.of(Member.State.DOWN, Member.State.LEAVING)) {
      PinnedRangesTest test = new PinnedRangesTest();
      test.nodes(4);
      RangeId range = test.range(0, 1, 2);
      test.pin(range, null, 1, 2, 3);
      test.settle();
      test.cluster.set(test.ids.get(3), state, true);
      test.cluster.electLeaders();
      test.settle();
      assertThat(test.pins).isEmpty();
      test.assertVoters(range, 0, 1, 2);
    }
  }

  @Example
  void shouldRemoveAPinWithTooManyVotersAndFillOneWithTooFew() {
    nodes(4);
    RangeId range = range(0, 1, 2);
    pin(range, null, 1, 2, 3);
    settle();
    store = new StorePlacement(STORE, 4, false);
    settle();
    assertVoters(range, 0, 1, 2, 3);
    assertThat(pins).containsKey(range);
    store = new StorePlacement(STORE, 1, false);
    settle();
    assertThat(pins).isEmpty();
    assertThat(group(range).current.voters()).hasSize(1);
  }

  @Example
  void shouldRemoveThePinOfARangeThatWasMerged() {
    nodes(3);
    range(0, 1, 2);
    pin(new RangeId(STORE, 9), null, 0, 1, 2);
    check();
    assertThat(pins).isEmpty();
  }

  @Property(tries = 300)
  void shouldFollowPinsDespiteFailures(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 6) int nodes,
      @ForAll @IntRange(min = 1, max = 7) int ranges,
      @ForAll @IntRange(min = 1, max = 5) int voters,
      @ForAll boolean onEveryNode) {
    Random random = new Random(seed);
    PinnedRangesTest test = new PinnedRangesTest();
    test.nodes(nodes);
    test.store = new StorePlacement(STORE, voters, onEveryNode);
    for (int i = 0; i < ranges; i++) {
      test.range(test.some(random).toArray(new Integer[0]));
    }
    test.disturb(random);
    test.settle();
    test.assertPinsAreFollowed();
  }

  private List<Integer> some(Random random) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      numbers.add(i);
    }
    Collections.shuffle(numbers, random);
    return numbers.subList(0, 1 + random.nextInt(Math.min(ids.size(), 5)));
  }

  private void disturb(Random random) {
    List<Member.State> states = List.of(Member.State.values());
    for (int round = random.nextInt(30); round > 0; round--) {
      NodeId node = ids.get(random.nextInt(ids.size()));
      RangeId range = new RangeId(STORE, 1 + random.nextInt(cluster.groups.size()));
      if (random.nextInt(3) == 0) {
        cluster.set(node, states.get(random.nextInt(states.size())), random.nextBoolean());
      } else if (random.nextInt(3) == 0) {
        pins.remove(range);
      } else {
        List<Integer> chosen = some(random);
        pin(range, random.nextBoolean() ? chosen.get(0) : null, chosen.toArray(new Integer[0]));
      }
      cluster.electLeaders();
      check();
    }
    ids.forEach(node -> cluster.set(node, Member.State.UP, false));
    cluster.electLeaders();
  }

  private void assertPinsAreFollowed() {
    cluster.groups.forEach(
        (range, group) ->
            assertThat(group.current.voters())
                .as("%s", range)
                .hasSize(Math.min(store.voters(), ids.size())));
    pins.forEach(
        (range, stored) -> {
          ModelCluster.Group group = group(range);
          assertThat(group.current.voters()).as("%s", range).containsAll(stored.pin().voters());
          if (stored.pin().leader() != null) {
            assertThat(group.leader).as("%s", range).isEqualTo(stored.pin().leader());
          }
        });
  }
}
