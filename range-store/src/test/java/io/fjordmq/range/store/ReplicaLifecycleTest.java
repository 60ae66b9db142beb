package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.sim.StoreNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas come to a node and go, in a simulated cluster in which all is well. */
class ReplicaLifecycleTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final long PATIENCE_MILLIS = 20_000;

  @TempDir Path directory;

  private final Simulation simulation = new Simulation(7);
  private final SimCluster cluster = new SimCluster(simulation);
  private final LoopbackPeers peers = LoopbackPeers.simulated(cluster.network());
  private final StoreSpec spec =
      new StoreSpec("words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
  private final RangeDescriptor onlyA =
      RangeStore.initialRanges(spec, ReplicaSet.ofVoters(A)).get(0);
  private StoreNode a;
  private StoreNode b;
  private RoutedRangeClient client;
  private int words;

  @BeforeEach
  void startTwoNodesOneWithARange() throws Exception {
    a = new StoreNode(cluster, peers, A, List.of(spec), directory);
    b = new StoreNode(cluster, peers, B, List.of(spec), directory);
    StoreNode.Life life = a.start();
    life.store().createInitialRanges(List.of(onlyA));
    client =
        new RoutedRangeClient(
            "words",
            List.of(onlyA),
            life.transport(),
            SimStore.timers(life.process()),
            RangeClientSettings.DEFAULTS,
            RangeObserver.NONE);
    b.start();
    append();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void append() {
    CompletableFuture<byte[]> answer =
        client.mutate("k".getBytes(UTF_8), ("k:" + ++words).getBytes(UTF_8));
    simulation.runUntil("the word is there", answer::isDone, PATIENCE_MILLIS);
    assertThat(answer).isCompleted();
  }

  private void change(StoreNode leader, ReplicaSet from, ReplicaSet to) {
    CompletableFuture<Void> done = leader.store().changeReplicas(RANGE, from, to);
    simulation.runUntil("replicas are changed", done::isDone, PATIENCE_MILLIS);
    assertThat(done).isCompleted();
  }

  private void awaitEqual() {
    simulation.runUntil("b has what a has", () -> b.rows(RANGE).equals(a.rows(RANGE)), 20_000);
    assertThat(b.rows(RANGE)).isNotEmpty();
  }

  private static final ReplicaSet JUST_A = ReplicaSet.ofVoters(A);
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(A, B);

  @Test
  void shouldBringANewReplicaUpToDateByTheLog() {
    assertThat(b.store().ensureReplica(onlyA)).isCompleted();
    assertThat(b.store().ensureReplica(onlyA)).as("again").isCompleted();
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.NONE);
    simulation.run(5_000);
    assertThat(statusOfB().leading()).as("it elects nobody").isFalse();
    change(a, JUST_A, BOTH);
    awaitEqual();
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.VOTER);
    assertThat(statusOfB().voters()).containsExactlyInAnyOrder(A, B);
    simulation.runUntil("nothing is left to apply", () -> statusOfB().lag() == 0, 5_000);
  }

  @Test
  void shouldBringANewLearnerUpToDateByASnapshotWhenTheLogIsCut() {
    for (int i = 0; i < 5; i++) {
      append();
      simulation.run(1_000); // a checkpoint cuts the log
    }
    assertThat(Objects.requireNonNull(statusOf(a).group()).firstIndex()).isGreaterThan(1);
    assertThat(b.store().ensureReplica(onlyA)).isCompleted();
    change(a, JUST_A, new ReplicaSet(Set.of(A), Set.of(B)));
    awaitEqual();
    simulation.runUntil(
        "it has heard so", () -> statusOfB().role() == ReplicaStatus.Role.LEARNER, 5_000);
    assertThat(statusOf(a).role()).isEqualTo(ReplicaStatus.Role.LEADER);
    append();
    awaitEqual();
  }

  @Test
  void shouldLeaveNothingOfADroppedReplicaAndBeginAnew() {
    b.store().ensureReplica(onlyA);
    change(a, JUST_A, BOTH);
    append();
    change(a, BOTH, JUST_A);
    assertThat(b.store().dropReplica(RANGE, statusOf(a).appliedIndex())).isCompleted();
    assertThat(b.store().dropReplica(RANGE, 0)).as("again").isCompleted();
    assertThat(b.store().status()).isEmpty();
    assertThat(b.rows(RANGE)).isEmpty();
    assertThat(b.life().host().groups()).isEmpty();
    append();
    assertThat(b.store().forgetReplica(RANGE)).isCompleted();
    assertThat(b.store().ensureReplica(onlyA)).isCompleted();
    change(a, JUST_A, BOTH);
    awaitEqual();
  }

  @Test
  void shouldNotBeginAnewBeforeTheDroppedReplicaIsForgotten() throws Exception {
    b.store().ensureReplica(onlyA);
    assertThat(b.store().dropReplica(RANGE, 0)).isCompleted();
    assertThat(b.store().retired()).containsExactly(RANGE);
    b.crash();
    b.start();
    assertThat(b.store().retired()).containsExactly(RANGE);
    assertThat(b.store().ensureReplica(onlyA))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("others may still count on");
    b.store().forgetReplica(RANGE);
    assertThat(b.store().retired()).isEmpty();
    assertThat(b.store().ensureReplica(onlyA)).isCompleted();
  }

  @Test
  void shouldNotDropAReplicaThatTheGroupHasTakenInMeanwhile() {
    b.store().ensureReplica(onlyA);
    long before = statusOf(a).appliedIndex();
    change(a, JUST_A, BOTH);
    append();
    awaitEqual();
    assertThat(b.store().dropReplica(RANGE, before))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.VOTER);
  }

  @Test
  void shouldFinishARemovalThatACrashCutShort() throws Exception {
    b.store().ensureReplica(onlyA);
    change(a, JUST_A, BOTH);
    append();
    change(a, BOTH, JUST_A);
    stored(b).beginRemoval(RANGE);
    b.crash();
    b.start();
    assertThat(b.store().status()).isEmpty();
    assertThat(b.rows(RANGE)).isEmpty();
    assertThat(b.life().host().groups()).isEmpty();
  }

  @Test
  void shouldBeginAnewAfterARemovalThatACrashCutShort() throws Exception {
    b.store().ensureReplica(onlyA);
    stored(b).beginRemoval(RANGE);
    b.crash();
    b.start();
    assertThat(b.store().dropReplica(RANGE, 0)).as("again").isCompleted();
    assertThat(b.store().forgetReplica(RANGE)).isCompleted();
    assertThat(b.store().ensureReplica(onlyA)).isCompleted();
    assertThat(b.store().status()).hasSize(1);
  }

  @Test
  void shouldBeginAnewWithAReplicaThatACrashLeftHalfCreated() throws Exception {
    b.life().host().create(onlyA.group(), ReplicaSet.ofVoters(new NodeId("old")));
    b.crash();
    b.start();
    assertThat(b.store().status()).isEmpty();
    assertThat(b.store().ensureReplica(onlyA)).isCompleted();
    assertThat(statusOfB().voters()).containsExactly(A);
  }

  @Test
  void shouldKeepAnEnsuredReplicaThroughACrash() throws Exception {
    b.store().ensureReplica(onlyA);
    b.crash();
    b.start();
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.NONE);
    change(a, JUST_A, BOTH);
    awaitEqual();
  }

  @Test
  void shouldNotBeginAnewWithAReplicaThatTheGroupBelievesToBeHere() {
    RangeDescriptor both = new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, BOTH);
    assertThat(b.store().ensureReplica(both))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("missing from its data directory");
  }

  @Test
  void shouldNotHoldAKeyInTwoRanges() {
    b.store().ensureReplica(onlyA);
    RangeDescriptor overlapping =
        new RangeDescriptor(
            new RangeId("words", 2),
            new KeyInterval("k".getBytes(UTF_8), "z".getBytes(UTF_8)),
            RangeEpoch.FIRST,
            JUST_A);
    assertThat(b.store().ensureReplica(overlapping))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("holds keys of range words-1");
  }

  @Test
  void shouldChangeOnlyWhatIsAsExpected() {
    b.store().ensureReplica(onlyA);
    assertThat(a.store().changeReplicas(RANGE, BOTH, JUST_A))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
    change(a, JUST_A, JUST_A); // a confirmation
    CompletableFuture<Void> elsewhere = b.store().changeReplicas(RANGE, JUST_A, BOTH);
    simulation.runUntil("b has refused", elsewhere::isDone, 5_000);
    assertThat(elsewhere).isCompletedExceptionally();
  }

  @Test
  void shouldGiveLeadershipAway() {
    b.store().ensureReplica(onlyA);
    change(a, JUST_A, BOTH);
    CompletableFuture<Void> done = a.store().transferLeadership(RANGE, B);
    simulation.runUntil("b leads", () -> statusOfB().leading() && done.isDone(), 5_000);
    append();
    awaitEqual();
  }

  private StoredReplicas stored(StoreNode node) {
    return new StoredReplicas(node.life().host(), node.life().kv(), directory);
  }

  private ReplicaStatus statusOfB() {
    return statusOf(b);
  }

  private static ReplicaStatus statusOf(StoreNode node) {
    return Objects.requireNonNull(node.status(RANGE));
  }
}
