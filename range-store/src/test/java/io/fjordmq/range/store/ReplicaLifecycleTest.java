package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
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
import io.fjordmq.testing.Simulation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas are added to a node and removed, in a simulated cluster without failures. */
class ReplicaLifecycleTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId RANGE = new RangeId("words", 1);
  private static final long TIMEOUT_MILLIS = 20_000;

  @TempDir Path directory;

  private final Simulation simulation = new Simulation(7);
  private final SimCluster cluster = new SimCluster(simulation);
  private final LoopbackPeers peers = LoopbackPeers.simulated(cluster.network());
  private final StoreSpec spec =
      new StoreSpec("words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
  private final RangeDescriptor onlyA = spec.initialRanges(ReplicaSet.ofVoters(A)).get(0);
  private StoreNode a;
  private StoreNode b;
  private RoutedRangeClient client;
  private int words;

  @BeforeEach
  void startTwoNodesOneWithARange() throws Exception {
    a = new StoreNode(cluster, peers, A, List.of(spec), directory);
    b = new StoreNode(cluster, peers, B, List.of(spec), directory);
    StoreNode.RunningNode running = a.start();
    running.store().createInitialRanges(List.of(onlyA));
    client =
        new RoutedRangeClient(
            "words",
            List.of(onlyA),
            running.transport(),
            SimStore.timers(running.process()),
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
    CompletableFuture<byte[]> response =
        client.mutate("k".getBytes(UTF_8), ("k:" + ++words).getBytes(UTF_8));
    simulation.runUntil("the word is written", response::isDone, TIMEOUT_MILLIS);
    assertThat(response).isCompleted();
  }

  private void change(StoreNode leader, ReplicaSet from, ReplicaSet to) {
    CompletableFuture<Void> done =
        leader.store().leaderOperations().changeReplicas(RANGE, from, to);
    simulation.runUntil("replicas are changed", done::isDone, TIMEOUT_MILLIS);
    assertThat(done).isCompleted();
  }

  private void awaitEqual() {
    simulation.runUntil("b is up to date", () -> b.rows(RANGE).equals(a.rows(RANGE)), 20_000);
    assertThat(b.rows(RANGE)).isNotEmpty();
  }

  private static final ReplicaSet ONLY_A = ReplicaSet.ofVoters(A);
  private static final ReplicaSet BOTH = ReplicaSet.ofVoters(A, B);

  @Test
  void shouldCatchUpANewReplicaFromTheLog() {
    assertThat(b.store().localReplicas().ensure(onlyA)).isCompleted();
    assertThat(b.store().localReplicas().ensure(onlyA)).as("again").isCompleted();
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.NONE);
    simulation.run(5_000);
    assertThat(statusOfB().leading()).as("it cannot be elected").isFalse();
    change(a, ONLY_A, BOTH);
    awaitEqual();
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.VOTER);
    assertThat(statusOfB().voters()).containsExactlyInAnyOrder(A, B);
    simulation.runUntil("nothing is left to apply", () -> statusOfB().lag() == 0, 5_000);
  }

  @Test
  void shouldCatchUpANewLearnerBySnapshotIfTheLogIsTruncated() {
    for (int i = 0; i < 5; i++) {
      append();
      simulation.run(1_000); // a checkpoint truncates the log
    }
    assertThat(Objects.requireNonNull(statusOf(a).group()).firstIndex()).isGreaterThan(1);
    assertThat(b.store().localReplicas().ensure(onlyA)).isCompleted();
    change(a, ONLY_A, new ReplicaSet(Set.of(A), Set.of(B)));
    awaitEqual();
    simulation.runUntil(
        "it knows its role", () -> statusOfB().role() == ReplicaStatus.Role.LEARNER, 5_000);
    assertThat(statusOf(a).role()).isEqualTo(ReplicaStatus.Role.LEADER);
    append();
    awaitEqual();
  }

  @Test
  void shouldRemoveADroppedReplicaCompletelyAndRecreateIt() {
    b.store().localReplicas().ensure(onlyA);
    change(a, ONLY_A, BOTH);
    append();
    change(a, BOTH, ONLY_A);
    assertThat(b.store().localReplicas().drop(RANGE, statusOf(a).appliedIndex())).isCompleted();
    assertThat(b.store().localReplicas().drop(RANGE, 0)).as("again").isCompleted();
    assertThat(b.store().status()).isEmpty();
    assertThat(b.rows(RANGE)).isEmpty();
    assertThat(b.running().host().groups()).isEmpty();
    append();
    assertThat(b.store().localReplicas().forget(RANGE)).isCompleted();
    assertThat(b.store().localReplicas().ensure(onlyA)).isCompleted();
    change(a, ONLY_A, BOTH);
    awaitEqual();
  }

  @Test
  void shouldNotRecreateADroppedReplicaBeforeItIsForgotten() throws Exception {
    b.store().localReplicas().ensure(onlyA);
    assertThat(b.store().localReplicas().drop(RANGE, 0)).isCompleted();
    assertThat(b.store().localReplicas().retired()).containsExactly(RANGE);
    b.crash();
    b.start();
    assertThat(b.store().localReplicas().retired()).containsExactly(RANGE);
    assertThat(b.store().localReplicas().ensure(onlyA))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("other replicas may still rely on");
    b.store().localReplicas().forget(RANGE);
    assertThat(b.store().localReplicas().retired()).isEmpty();
    assertThat(b.store().localReplicas().ensure(onlyA)).isCompleted();
  }

  @Test
  void shouldNotDropAReplicaThatHasBecomeAMember() {
    b.store().localReplicas().ensure(onlyA);
    long before = statusOf(a).appliedIndex();
    change(a, ONLY_A, BOTH);
    append();
    awaitEqual();
    assertThat(b.store().localReplicas().drop(RANGE, before))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.VOTER);
  }

  @Test
  void shouldFinishARemovalInterruptedByACrash() throws Exception {
    b.store().localReplicas().ensure(onlyA);
    change(a, ONLY_A, BOTH);
    append();
    change(a, BOTH, ONLY_A);
    stored(b).beginRemoval(RANGE);
    b.crash();
    b.start();
    assertThat(b.store().status()).isEmpty();
    assertThat(b.rows(RANGE)).isEmpty();
    assertThat(b.running().host().groups()).isEmpty();
  }

  @Test
  void shouldStartOverAfterARemovalInterruptedByACrash() throws Exception {
    b.store().localReplicas().ensure(onlyA);
    stored(b).beginRemoval(RANGE);
    b.crash();
    b.start();
    assertThat(b.store().localReplicas().drop(RANGE, 0)).as("again").isCompleted();
    assertThat(b.store().localReplicas().forget(RANGE)).isCompleted();
    assertThat(b.store().localReplicas().ensure(onlyA)).isCompleted();
    assertThat(b.store().status()).hasSize(1);
  }

  @Test
  void shouldStartOverWithAReplicaThatWasHalfCreatedBeforeACrash() throws Exception {
    b.running().host().create(onlyA.group(), ReplicaSet.ofVoters(new NodeId("old")));
    b.crash();
    b.start();
    assertThat(b.store().status()).isEmpty();
    assertThat(b.store().localReplicas().ensure(onlyA)).isCompleted();
    assertThat(statusOfB().voters()).containsExactly(A);
  }

  @Test
  void shouldKeepACreatedReplicaAfterACrash() throws Exception {
    b.store().localReplicas().ensure(onlyA);
    b.crash();
    b.start();
    assertThat(statusOfB().role()).isEqualTo(ReplicaStatus.Role.NONE);
    change(a, ONLY_A, BOTH);
    awaitEqual();
  }

  @Test
  void shouldNotCreateAReplicaThatIsAlreadyAMember() {
    RangeDescriptor both = new RangeDescriptor(RANGE, KeyInterval.ALL, RangeEpoch.FIRST, BOTH);
    assertThat(b.store().localReplicas().ensure(both))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("has no replica");
  }

  @Test
  void shouldNotHoldAKeyInTwoRanges() {
    b.store().localReplicas().ensure(onlyA);
    RangeDescriptor overlapping =
        new RangeDescriptor(
            new RangeId("words", 2),
            new KeyInterval("k".getBytes(UTF_8), "z".getBytes(UTF_8)),
            RangeEpoch.FIRST,
            ONLY_A);
    assertThat(b.store().localReplicas().ensure(overlapping))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("overlaps range words-1");
  }

  @Test
  void shouldChangeReplicasOnlyIfTheCurrentSetMatches() {
    b.store().localReplicas().ensure(onlyA);
    assertThat(a.store().leaderOperations().changeReplicas(RANGE, BOTH, ONLY_A))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
    change(a, ONLY_A, ONLY_A); // a confirmation
    CompletableFuture<Void> elsewhere =
        b.store().leaderOperations().changeReplicas(RANGE, ONLY_A, BOTH);
    simulation.runUntil("b has rejected it", elsewhere::isDone, 5_000);
    assertThat(elsewhere).isCompletedExceptionally();
  }

  @Test
  void shouldTransferLeadership() {
    b.store().localReplicas().ensure(onlyA);
    change(a, ONLY_A, BOTH);
    CompletableFuture<Void> done = a.store().leaderOperations().transferLeadership(RANGE, B);
    simulation.runUntil("b leads", () -> statusOfB().leading() && done.isDone(), 5_000);
    append();
    awaitEqual();
  }

  private StoredReplicas stored(StoreNode node) {
    return new StoredReplicas(
        node.running().host(), node.running().kv(), directory, range -> Optional.empty());
  }

  private ReplicaStatus statusOfB() {
    return statusOf(b);
  }

  private static ReplicaStatus statusOf(StoreNode node) {
    return Objects.requireNonNull(node.status(RANGE));
  }
}
