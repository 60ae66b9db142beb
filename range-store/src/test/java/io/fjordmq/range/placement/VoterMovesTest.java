package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Voters that move because of the load: one round of the driver a second, with synthetic loads. */
class VoterMovesTest {
  private static final String STORE = "inbox";
  private static final int PAUSE = 10;
  private static final int DEADLINE = 60;
  private static final VoterMoves.Timing TIMING =
      new VoterMoves.Timing(Duration.ofSeconds(PAUSE), Duration.ofSeconds(DEADLINE));

  /** A cluster, its driver, and the moves that they have made. */
  private static final class Run {
    final ModelCluster cluster = new ModelCluster();
    final Map<RangeId, Long> loads = new HashMap<>();
    final List<NodeId> ids = new ArrayList<>();
    StorePlacement store;
    VoterMoves moves = new VoterMoves();
    int second;

    /** The second in which each change began. */
    final List<Integer> startSeconds = new ArrayList<>();

    Set<VoterLoadBalance.Move> movesInProgress = Set.of();
    int replicasCreated;

    Run(int nodes, int voters) {
      store = new StorePlacement(STORE, voters, false);
      for (int i = 0; i < nodes; i++) {
        ids.add(new NodeId("n" + i));
        cluster.set(ids.get(i), Member.State.UP, false);
      }
    }

    RangeId range(long writes, Integer... voters) {
      RangeId id = new RangeId(STORE, cluster.groups.size() + 1L);
      Set<NodeId> set = new HashSet<>();
      List.of(voters).forEach(node -> set.add(ids.get(node)));
      cluster.groups.put(id, new ModelCluster.Group(new ReplicaSet(set, Set.of())));
      loads.put(id, writes);
      cluster.electLeaders();
      return id;
    }

    void runSeconds(int count, LongUnaryOperator measured) {
      for (int i = 0; i < count; i++) {
        runRound(measured);
      }
    }

    void runRound(LongUnaryOperator measured) {
      second++;
      cluster.groups.forEach(
          (id, group) ->
              group.requests = measured.applyAsLong(Objects.requireNonNull(loads.get(id))));
      PlacementView view =
          moves.update(cluster.view(Set.of()), List.of(store), TIMING, second * 1_000L);
      Set<VoterLoadBalance.Move> now = new HashSet<>(view.moves().values());
      if (!now.isEmpty() && !now.equals(movesInProgress)) {
        assertThat(movesInProgress).as("one change at a time").isEmpty();
        assertThat(now).hasSizeBetween(1, 2);
        startSeconds.add(second);
      }
      movesInProgress = now;
      List<Step> steps = PlacementPlan.steps(view, List.of(store));
      replicasCreated += (int) steps.stream().filter(Step.Ensure.class::isInstance).count();
      cluster.apply(steps);
    }

    void assertEnoughVoters() {
      int minVoters = Math.min(store.voters(), ids.size());
      cluster.groups.forEach(
          (id, group) ->
              assertThat(group.current.voters())
                  .as("%s", id)
                  .hasSizeGreaterThanOrEqualTo(minVoters));
    }

    long load(NodeId node) {
      return cluster.groups.entrySet().stream()
          .filter(group -> group.getValue().current.voters().contains(node))
          .mapToLong(group -> Objects.requireNonNull(loads.get(group.getKey())))
          .sum();
    }

    List<Long> nodeLoads() {
      return ids.stream().map(this::load).toList();
    }

    Set<NodeId> voters(RangeId range) {
      return Objects.requireNonNull(cluster.groups.get(range)).current.voters();
    }
  }

  private static final LongUnaryOperator EXACT = LongUnaryOperator.identity();

  /** Two busy ranges on the first node, two idle ones on the second. */
  private static Run unevenCluster() {
    Run run = new Run(2, 1);
    run.range(4_000, 0);
    run.range(4_000, 0);
    run.range(10, 1);
    run.range(10, 1);
    return run;
  }

  @Test
  void shouldBalanceTheWriteLoadAndThenStop() {
    Run run = unevenCluster();
    for (int i = 0; i < 60; i++) {
      run.runRound(EXACT);
      run.assertEnoughVoters();
    }
    assertThat(run.nodeLoads()).containsOnly(4_010L);
    assertThat(run.startSeconds).as("one exchange").hasSize(1);
    assertThat(run.replicasCreated).isEqualTo(2);
  }

  @Test
  void shouldWaitUntilTheLoadHasBeenUnevenForAWhile() {
    Run run = unevenCluster();
    run.runSeconds(PAUSE, EXACT);
    run.runRound(load -> 4_000); // for a short time
    run.runSeconds(PAUSE, EXACT);
    assertThat(run.startSeconds).isEmpty();
    run.runRound(EXACT);
    assertThat(run.startSeconds).hasSize(1);
  }

  @Test
  void shouldCompleteAStartedChangeEvenIfTheLoadChanges() {
    Run run = unevenCluster();
    run.runSeconds(PAUSE + 1, EXACT);
    Set<VoterLoadBalance.Move> started = run.movesInProgress;
    assertThat(started).hasSize(2);
    run.runSeconds(20, load -> 4_010 - load); // the idle ranges are busy now
    started.forEach(move -> assertThat(run.voters(move.range())).containsExactly(move.to()));
  }

  @Test
  void shouldAbandonAMoveWhoseTargetFails() {
    Run run = unevenCluster();
    run.runSeconds(PAUSE + 2, EXACT);
    run.cluster.set(run.ids.get(1), Member.State.SLOW, false);
    run.runRound(EXACT);
    assertThat(run.movesInProgress).isEmpty();
    run.runSeconds(30, EXACT);
    run.assertEnoughVoters();
    run.cluster.set(run.ids.get(1), Member.State.UP, false);
    run.runSeconds(60, EXACT);
    assertThat(run.nodeLoads()).containsOnly(4_010L);
  }

  @Test
  void shouldAbandonAMoveThatTakesTooLong() {
    Run run = unevenCluster();
    run.runSeconds(PAUSE, EXACT);
    for (int second = PAUSE + 1; second <= PAUSE + DEADLINE + 1; second++) {
      PlacementView view =
          run.moves.update(run.cluster.view(Set.of()), List.of(run.store), TIMING, second * 1_000L);
      boolean late = second > PAUSE + DEADLINE;
      assertThat(view.moves().isEmpty()).as("second %d", second).isEqualTo(late);
    }
  }

  @Test
  void shouldLeaveNoExtraVotersWhenAnotherDriverTakesOver() {
    for (int rounds = 0; rounds < 8; rounds++) {
      Run run = unevenCluster();
      run.runSeconds(PAUSE + 1 + rounds, EXACT);
      run.moves = new VoterMoves();
      run.movesInProgress = Set.of();
      run.runSeconds(60, EXACT);
      assertThat(run.nodeLoads()).as("after %d rounds", rounds).containsOnly(4_010L);
      run.cluster.groups.values().forEach(group -> assertThat(group.current.voters()).hasSize(1));
    }
  }

  @Property(tries = 60)
  @Tag("slow")
  void shouldConvergeToEvenLoads(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 6) int nodes,
      @ForAll @IntRange(min = 1, max = 10) int ranges,
      @ForAll @IntRange(min = 1, max = 3) int voters) {
    Random random = new Random(seed);
    Run run = new Run(nodes, voters);
    for (int i = 0; i < ranges; i++) {
      List<Integer> order = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5).subList(0, nodes));
      Collections.shuffle(order, random);
      long writes = random.nextInt(4) * random.nextInt(5_000);
      run.range(writes, order.subList(0, Math.min(voters, nodes)).toArray(Integer[]::new));
    }
    // Measurements fluctuate.
    LongUnaryOperator noisy = load -> Math.round(load * (0.95 + 0.1 * random.nextDouble()));
    for (int i = 0; i < 600; i++) {
      run.runRound(noisy);
      run.assertEnoughVoters();
    }
    for (int i = 1; i < run.startSeconds.size(); i++) {
      assertThat(run.startSeconds.get(i) - run.startSeconds.get(i - 1))
          .as("never sooner after another")
          .isGreaterThan(PAUSE);
    }
    // A difference at the threshold may at any time be measured as too large, but only once.
    run.runSeconds(200, noisy);
    assertThat(run.startSeconds.size()).as("changes").isLessThanOrEqualTo(ranges);
    run.runSeconds(2 * DEADLINE + 100, EXACT);
    int created = run.replicasCreated;
    run.runSeconds(200, EXACT);
    assertThat(run.replicasCreated).as("no more moves").isEqualTo(created);
    assertThat(run.movesInProgress).isEmpty();
  }

  @Property(tries = 5, edgeCases = EdgeCasesMode.NONE)
  void shouldConvergeToEvenLoadsInFewTries(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 6) int nodes,
      @ForAll @IntRange(min = 1, max = 10) int ranges,
      @ForAll @IntRange(min = 1, max = 3) int voters) {
    shouldConvergeToEvenLoads(seed, nodes, ranges, voters);
  }

  @Example
  void shouldMoveAgainIfADifferenceAtTheThresholdIsMeasuredAsTooLarge() {
    shouldConvergeToEvenLoads(-269976, 5, 9, 1);
  }
}
