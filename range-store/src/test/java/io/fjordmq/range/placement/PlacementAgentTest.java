package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.range.store.ReplicaStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlacementAgentTest {
  private static final NodeId AGENT = new NodeId("agent");
  private static final NodeId DRIVER = new NodeId("driver");
  private static final RangeId RANGE = new RangeId("words", 1);

  private final LocalRanges ranges =
      LocalRanges.of(
          new StoreSpec(
              "words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {}));
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final LoopbackPeers.Node driver = peers.start(DRIVER);

  private @Nullable String refusal = null;

  private @Nullable String refusal(RangeId range) {
    return refusal == null ? null : refusal + range;
  }

  @BeforeEach
  void serve() {
    PlacementAgent.serve(ranges.store(), peers.start(AGENT), () -> 7, Map::of, this::refusal);
  }

  @AfterEach
  void close() {
    ranges.close();
  }

  @Test
  void shouldReportItsReplicas() throws Exception {
    RangeReports reports = RangeReports.decode(send(1, 1, new PlacementOrder.Report()).get());
    assertThat(reports.replicas()).hasSize(1);
    ReplicaReport replica = reports.replicas().get(0);
    assertThat(replica.range()).isEqualTo(RANGE);
    assertThat(replica.role()).isEqualTo(ReplicaStatus.Role.LEADER);
    assertThat(replica.replicas()).isEqualTo(ReplicaSet.ofVoters(new NodeId("local")));
  }

  @Test
  void shouldRejectOrdersThatArriveAfterLaterOnes() {
    assertThat(send(2, 5, new PlacementOrder.Report())).isCompleted();
    assertRefused(send(2, 4, new PlacementOrder.Drop(RANGE, 0)), "has received a newer one");
    assertRefused(send(2, 5, new PlacementOrder.Drop(RANGE, 0)), "has received a newer one");
    assertRefused(send(1, 9, new PlacementOrder.Drop(RANGE, 0)), "driver of term 2");
    assertThat(send(3, 1, new PlacementOrder.Report())).as("a new driver").isCompleted();
  }

  @Test
  void shouldReportWhyItRejectsAnOrder() {
    assertRefused(send(1, 1, new PlacementOrder.Drop(RANGE, 0)), "cannot remove the replica");
    ReplicaSet other = ReplicaSet.ofVoters(DRIVER);
    assertRefused(
        send(1, 2, new PlacementOrder.Change(RANGE, other, other)), "changed: expected ReplicaSet");
    assertRefused(
        send(1, 3, new PlacementOrder.Transfer(new RangeId("words", 9), DRIVER)), "words-9");
    assertRefused(driver.call(AGENT, PlacementAgent.NAME, new byte[] {99}, SECOND), "version 99");
    assertThat(ranges.store().status()).hasSize(1);
  }

  @Test
  void shouldCreateAnEmptyReplicaOnlyWithConsent() {
    RangeId absent = new RangeId("words", 2);
    RangeDescriptor elsewhere =
        new RangeDescriptor(absent, KeyInterval.ALL, RangeEpoch.FIRST, ReplicaSet.ofVoters(DRIVER));
    refusal = "not now: ";
    assertRefused(send(1, 1, new PlacementOrder.Ensure(elsewhere)), "not now: words-2");
    assertThat(ranges.store().status()).hasSize(1);
    refusal = null;
    assertRefused(send(1, 2, new PlacementOrder.Ensure(elsewhere)), "overlaps range words-1");
  }

  private static final Duration SECOND = Duration.ofSeconds(1);

  private CompletableFuture<byte[]> send(long term, long number, PlacementOrder.Task task) {
    return driver.call(
        AGENT, PlacementAgent.NAME, new PlacementOrder(term, number, task).encode(), SECOND);
  }

  private static void assertRefused(CompletableFuture<byte[]> response, String reason) {
    assertThat(response)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(PeerException.class)
        .withMessageContaining(reason);
  }
}
