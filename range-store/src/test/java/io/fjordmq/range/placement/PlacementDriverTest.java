package io.fjordmq.range.placement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The driver of a single-node cluster, on the real range engine and metadata in virtual time. */
class PlacementDriverTest {
  private static final NodeId SELF = new NodeId("local");
  private static final RangeId RANGE = new RangeId("words", 1);

  private final StoreSpec words =
      new StoreSpec(
          "words",
          List.of("z".getBytes(UTF_8)),
          id -> new AppendingCoprocessor(),
          (range, effects) -> {});
  private final LocalRanges ranges = LocalRanges.ofEarlierVersion(words);
  private final LoopbackPeers.Node peers = LoopbackPeers.immediate().start(SELF);
  private final Simulation simulation = new Simulation(1);
  private final SimCluster cluster = new SimCluster(simulation);
  private final RangeDirectory directory = new RangeDirectory();
  private final TestMembership membership = new TestMembership(SELF);
  private Map<RangeId, RangeLoadReport> loads = Map.of();
  private final List<String> steps = new ArrayList<>();
  private int voters = 1;
  private MetadataGroup metadata;
  private PlacementDriver driver;

  /** Stores nothing: this cluster never restarts. */
  private static final class NoStorage implements MetadataStorage {
    @Override
    public byte @Nullable [] load() {
      return null;
    }

    @Override
    public void save(byte[] checkpoint) {}
  }

  @BeforeEach
  void start() throws Exception {
    SimHost host = cluster.start(SELF);
    MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(SELF));
    metadata = MetadataGroup.open(host, new NoStorage(), MetadataSettings.DEFAULT, host.process());
    metadata.watch(directory);
    simulation.runUntil("the metadata replica leads", () -> metadata.leadership().leading(), 5_000);
    membership.setWriteHandler(this::write);
    assertThat(write(RangeDirectory.initialChanges(ranges.store().descriptors("words"))))
        .isCompleted();
    PlacementAgent agent =
        PlacementAgent.serve(
            ranges.store(), peers, () -> 1, () -> loads, PlacementAgent.Consent.ALWAYS);
    driver =
        new PlacementDriver(
            membership,
            peers,
            agent,
            () -> new Leadership(1, SELF, true),
            directory,
            ranges.timers(),
            () -> List.of(new StorePlacement("words", voters, false)),
            PlacementSettings.DEFAULTS,
            new RangeObserver() {
              @Override
              public void onPlacementStep(RangeId range, String kind, boolean succeeded) {
                steps.add(kind + (succeeded ? " done" : " failed"));
              }
            });
    driver.start();
  }

  @AfterEach
  void close() {
    driver.close();
    ranges.close();
    cluster.close();
  }

  private CompletableFuture<WriteResult> write(List<Change> changes) {
    CompletableFuture<WriteResult> written = metadata.write(changes);
    simulation.runUntil("the change is written", written::isDone, 5_000);
    return written;
  }

  @Test
  void shouldBackOffARejectedRequest() {
    KeyInterval part = new KeyInterval("f".getBytes(UTF_8), "z".getBytes(UTF_8));
    loads = Map.of(RANGE, new RangeLoadReport(60, 9, 9, 9, 9, "split", part, false, false));
    ranges.advance(Duration.ofSeconds(60));
    long afterAMinute = directory.nextNumber("words").number();
    assertThat(afterAMinute).as("at 2, 4, 8, 16 and 32 s").isBetween(4L, 8L);
    assertThat(steps).containsOnly("split failed");
    ranges.advance(Duration.ofSeconds(640));
    assertThat(directory.nextNumber("words").number() - afterAMinute)
        .as("every 64 s")
        .isBetween(9L, 11L);
  }

  @Test
  void shouldReportWhatAMergeWaitsForUntilItIsCanceled() {
    NodeId other = new NodeId("other");
    membership.setUp(other, 1);
    membership.setState(other, Member.State.DOWN);
    CompletableFuture<Void> merged = driver.merge(RANGE);
    ranges.advance(Duration.ofSeconds(10));
    assertThat(merged).isNotDone();
    assertThat(driver.pending())
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.range()).isEqualTo(RANGE);
              assertThat(step.reason()).contains("node other is down");
              assertThat(step.cancelable()).isTrue();
              assertThat(step.waiting()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
            });
    driver.cancel(RANGE);
    assertThat(merged)
        .failsWithin(Duration.ofSeconds(1))
        .withThrowableThat()
        .withMessageContaining("an operator canceled the merge");
    ranges.advance(Duration.ofSeconds(10));
    assertThat(driver.pending()).isEmpty();
    assertThatThrownBy(() -> driver.cancel(RANGE)).hasMessageContaining("no merge or");
  }

  @Test
  void shouldStopAVoterChangeThatAnOperatorCancels() {
    NodeId silent = new NodeId("silent");
    membership.setUp(silent, 1);
    voters = 2;
    ranges.advance(Duration.ofSeconds(10));
    String change = "changing the voters from [local] to [local, silent]";
    assertPending(change, "node silent does not respond", true);

    driver.cancel(RANGE);
    ranges.advance(Duration.ofSeconds(10));
    assertPending(change, "canceled by an operator; placement may retry the change in", false);
    assertThatThrownBy(() -> driver.cancel(RANGE)).hasMessageContaining("may retry the change in");

    ranges.advance(PlacementSettings.DEFAULTS.mergeCooldown());
    assertPending(change, "node silent does not respond", true);

    membership.remove(silent, 1);
    ranges.advance(Duration.ofSeconds(10));
    assertThat(driver.pending()).isEmpty();
  }

  private void assertPending(String what, String reason, boolean cancelable) {
    assertThat(driver.pending().stream().filter(step -> step.range().equals(RANGE)))
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.description()).isEqualTo(what);
              assertThat(step.reason()).startsWith(reason);
              assertThat(step.cancelable()).isEqualTo(cancelable);
            });
  }
}
