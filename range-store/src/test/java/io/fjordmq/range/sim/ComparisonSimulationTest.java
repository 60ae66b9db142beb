package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.comparison.ReplicaDifference;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Comparisons find replicas that differ, and only those. */
class ComparisonSimulationTest {
  private static final int DEFAULT_SEEDS = 20;
  private static final int VIOLATIONS = 10;
  private static final List<NodeId> NODES =
      List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));
  private static final NodeId DEVIATING = NODES.get(2);

  /** So low that a slice has 64 KiB. */
  private static final long RATE = 8 << 10;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq");

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  @BeforeAll
  static void muteLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void unmuteLog() {
    LOG.setLevel(null);
  }

  /** With splits, merges, snapshots, restarts and changes of leaders and replicas. */
  @Test
  @Tag(Seeds.TAG)
  void shouldNeverReportEqualReplicas() {
    Seeds seeds = Seeds.withDefaultCount(DEFAULT_SEEDS);
    ComparisonWatch watch = new ComparisonWatch(Duration.ofMillis(100), 1 << 20);
    SimCounts counts = new SimCounts();
    seeds.run(
        seed -> {
          PlacementSimulation simulation =
              new PlacementSimulation(
                  seed,
                  PlacementSimulation.Defect.NONE,
                  directory.resolve("installs-" + seed),
                  counts);
          simulation.compareReplicas(watch);
          simulation.run();
          assertThat(watch.count("different")).as("seed %s", seed).isZero();
        });
    assertThat(watch.differences()).isEmpty();
    if (seeds.areEnough()) {
      assertThat(watch.count("equal")).isGreaterThan(20 * seeds.count());
      assertThat(watch.count("skipped")).isGreaterThan(seeds.count());
    }
  }

  /** Forgets to append a word now and then, on one node only. */
  private static final class ForgetfulCoprocessor extends AppendingCoprocessor {
    private int commands;

    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      return ++commands % 20 == 0 ? new byte[0] : super.apply(command, context);
    }
  }

  @Test
  void shouldFindAndNameAReplicaThatAppliesEntriesDifferently() {
    for (long seed = 1; seed <= VIOLATIONS; seed++) {
      try (Run run = new Run(seed, true)) {
        run.writeWords(60, 10);
        run.awaitDifference();
        ReplicaDifference found = run.watch.differences().get(0);
        assertThat(found.compared()).as("seed %s", seed).contains(DEVIATING);
        if (found.compared().size() == NODES.size()) {
          assertThat(found.deviating()).containsExactly(DEVIATING);
        }
        run.simulation.runUntil(
            "a repeated comparison confirms it",
            () -> run.watch.differences().stream().anyMatch(ReplicaDifference::confirmed),
            60_000);
      }
    }
  }

  @Test
  void shouldCompareAllSlicesOfALargeRangeAndFindOneChangedRow() {
    try (Run run = new Run(7, false)) {
      run.writeWords(200, 900);
      run.simulation.run(300_000);
      assertThat(run.watch.count("equal")).as("two followers, several slices").isGreaterThan(10);
      assertThat(run.watch.count("different")).isZero();

      StoreNode changed =
          run.nodes.stream().filter(node -> !run.leads(node)).findFirst().orElseThrow();
      byte[] row = "\u0001key90".getBytes(UTF_8);
      byte[] before = run.change(changed, row, "changed".getBytes(UTF_8));
      run.awaitDifference();
      run.simulation.runUntil(
          "it is confirmed",
          () -> run.watch.differences().stream().allMatch(ReplicaDifference::confirmed),
          120_000);
      ReplicaDifference found = run.watch.differences().get(0);
      assertThat(found.compared()).isEqualTo(NODES);
      assertThat(found.deviating()).containsExactly(changed.id());
      assertThat(found.from()).as("not the first slice").isNotEmpty();

      run.change(changed, row, before);
      run.simulation.runUntil(
          "the next round finds no difference", () -> run.watch.differences().isEmpty(), 600_000);
    }
  }

  @Test
  void shouldNotWriteTheEntryBeforeTheClusterHasItsLevel() {
    try (Run run = new Run(3, false, false)) {
      run.writeWords(20, 10);
      long index = run.appliedIndex();
      run.simulation.run(300_000);
      assertThat(run.appliedIndex()).isEqualTo(index);
      assertThat(run.watch.count("equal") + run.watch.count("skipped")).isZero();
    }
  }

  /** Three nodes with one range, on an unreliable network. */
  private final class Run implements AutoCloseable {
    final Simulation simulation;
    final SimCluster cluster;
    final ComparisonWatch watch = new ComparisonWatch(Duration.ofSeconds(20), RATE);
    final List<StoreNode> nodes = new ArrayList<>();
    private final RoutedRangeClient client;
    private int words;

    Run(long seed, boolean violate) {
      this(seed, violate, true);
    }

    Run(long seed, boolean violate, boolean allowed) {
      simulation = new Simulation(seed);
      cluster = new SimCluster(simulation);
      LoopbackPeers peers = LoopbackPeers.simulated(cluster.network());
      RangeDescriptor range =
          spec(false).initialRanges(ReplicaSet.ofVoters(NODES.toArray(NodeId[]::new))).get(0);
      for (NodeId id : NODES) {
        StoreNode node =
            new StoreNode(
                cluster,
                peers,
                id,
                List.of(spec(violate && id.equals(DEVIATING))),
                directory.resolve("run-" + seed));
        if (allowed) {
          node.setLevel(ComparisonWatch.LEVEL);
        }
        nodes.add(node);
        start(node);
        createRange(node, range);
      }
      cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
      StoreNode.RunningNode first = nodes.get(0).running();
      client =
          new RoutedRangeClient(
              "words",
              List.of(range),
              first.transport(),
              SimStore.timers(first.process()),
              RangeClientSettings.DEFAULTS,
              RangeObserver.NONE);
    }

    private StoreSpec spec(boolean forgetful) {
      return new StoreSpec(
          "words",
          List.of(),
          id -> forgetful ? new ForgetfulCoprocessor() : new AppendingCoprocessor(),
          (range, effects) -> {});
    }

    private void start(StoreNode node) {
      try {
        watch.start(node.id(), node.start());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void createRange(StoreNode node, RangeDescriptor range) {
      try {
        node.store().createInitialRanges(List.of(range));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void writeWords(int count, int length) {
      for (int i = 0; i < count; i++) {
        String key = "key%02d".formatted(words % 97);
        String command = key + ":" + Integer.toString(words++ % 10).repeat(length);
        CompletableFuture<byte[]> response =
            client.mutate(key.getBytes(UTF_8), command.getBytes(UTF_8));
        simulation.runUntil("the word is written", response::isDone, 60_000);
        assertThat(response).isCompleted();
      }
    }

    void awaitDifference() {
      simulation.runUntil("a difference is found", () -> !watch.differences().isEmpty(), 240_000);
    }

    boolean leads(StoreNode node) {
      return node.store().status().get(0).leading();
    }

    long appliedIndex() {
      return nodes.get(0).store().status().get(0).appliedIndex();
    }

    /** Changes a row as if the disk had, and returns what it contained. */
    byte[] change(StoreNode node, byte[] row, byte[] value) {
      KvSpace space = node.running().kv().space("words");
      byte @Nullable [] before = space.latest().get(row);
      KvBatch batch = new KvBatch();
      batch.put(row, value);
      space.write(batch);
      return Objects.requireNonNull(before);
    }

    @Override
    public void close() {
      cluster.close();
    }
  }
}
