package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.placement.RangeReports;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.sim.StoreNode;
import io.fjordmq.testing.Simulation;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: data written by a newer node is rejected with a clear message, and the node keeps running
 * otherwise.
 */
class NewerFormatsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId RANGE = new RangeId("words", 1);

  @TempDir Path directory;

  @Test
  void shouldRejectEveryFormatOfTheNextVersion() {
    byte[] next = {2};
    for (Runnable read :
        List.<Runnable>of(
            () -> RangeDescriptorCodec.decode(next),
            () -> RangeState.appliedIndexOf(next),
            () -> SenderTable.decode(next))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageEndingWith(" has version 2, this node reads version 1: upgrade this node");
    }
    assertThatThrownBy(() -> RangeReports.decode(new byte[] {7}))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageEndingWith(" has version 7, this node reads version 6: upgrade this node");
    assertThatThrownBy(() -> RangeEntry.decode(ByteBuffer.wrap(new byte[] {3})))
        .isInstanceOf(NewerFormatException.class)
        .hasMessage("range entry has version 3, this node reads version 2: upgrade this node");
    assertThatThrownBy(() -> RangeEntry.decode(ByteBuffer.wrap(new byte[] {1, 9, 0, 0})))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  void shouldNotInstallAFileOfTheNextVersion() throws Exception {
    Path file = directory.resolve("rows");
    try (RowFile.Writer writer = RowFile.write(file)) {
      writer.finish();
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[4]++;
    Files.write(file, bytes);
    assertThatThrownBy(() -> RowFile.read(file, (key, value) -> {}))
        .hasMessageContaining("rows has version 3, this node reads version 2: upgrade this node");
  }

  @Test
  void shouldNotProposeEntriesOfOtherNodesThatThisLeaderCannotRead() throws Exception {
    ReplicaFixture fixture = new ReplicaFixture(directory);
    fixture.replica.onLeaderStart(1);
    byte[] entry = ReplicaFixture.mutations(1, 1, "k:w");
    entry[0] = 3;
    List<RangeResult> results = fixture.proposeReceived(entry);
    assertThat(fixture.proposals).isEmpty();
    assertThat(results)
        .singleElement()
        .isInstanceOfSatisfying(
            RangeResult.Unavailable.class,
            refused -> assertThat(refused.toString()).contains("upgrade this node"));
  }

  /** Does not know the word "newer", like an older version of the store. */
  private static final class OlderCoprocessor extends AppendingCoprocessor {
    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      if (UTF_8.decode(command.duplicate()).toString().endsWith("newer")) {
        NewerFormatException.require("word", 1, 2);
      }
      return super.apply(command, context);
    }
  }

  @Test
  void shouldHaltWithAReasonWhileOtherReplicasKeepRunning() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    StoreSpec spec =
        new StoreSpec("words", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
    StoreSpec older =
        new StoreSpec(
            "words",
            List.of(),
            id -> {
              opened.incrementAndGet();
              return new OlderCoprocessor();
            },
            (range, effects) -> {});
    Simulation simulation = new Simulation(7);
    SimCluster cluster = new SimCluster(simulation);
    LoopbackPeers peers = LoopbackPeers.simulated(cluster.network());
    try {
      StoreNode a = new StoreNode(cluster, peers, A, List.of(spec), directory);
      StoreNode b = new StoreNode(cluster, peers, B, List.of(older), directory);
      RangeDescriptor range = spec.initialRanges(ReplicaSet.ofVoters(A)).get(0);
      assertThat(range.interval()).isEqualTo(KeyInterval.ALL);
      StoreNode.RunningNode running = a.start();
      running.store().createInitialRanges(List.of(range));
      b.start();
      RoutedRangeClient client =
          new RoutedRangeClient(
              "words",
              List.of(range),
              running.transport(),
              SimStore.timers(running.process()),
              RangeClientSettings.DEFAULTS,
              RangeObserver.NONE);
      append(simulation, client, "k:one");
      assertThat(b.store().localReplicas().ensure(range)).isCompleted();
      CompletableFuture<Void> changed =
          a.store()
              .leaderOperations()
              .changeReplicas(RANGE, ReplicaSet.ofVoters(A), new ReplicaSet(Set.of(A), Set.of(B)));
      simulation.runUntil("b learns", changed::isDone, 20_000);
      append(simulation, client, "k:newer");
      simulation.runUntil("b halts", () -> failure(b) != null, 20_000);
      assertThat(failure(b))
          .isEqualTo("word has version 2, this node reads version 1: upgrade this node");
      append(simulation, client, "k:two");
      int before = opened.get();
      simulation.run(4_000);
      // With the maximum delay of 400 ms from the first time on.
      assertThat(opened.get() - before).isBetween(1, 10);
      append(simulation, client, "k:three");
    } finally {
      cluster.close();
    }
  }

  private static @Nullable String failure(StoreNode node) {
    ReplicaStatus status = node.status(RANGE);
    return status == null ? null : status.failure();
  }

  private static void append(Simulation simulation, RoutedRangeClient client, String word) {
    CompletableFuture<byte[]> response = client.mutate("k".getBytes(UTF_8), word.getBytes(UTF_8));
    simulation.runUntil("the word is written", response::isDone, 20_000);
    assertThat(response).isCompleted();
  }
}
