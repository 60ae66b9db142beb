package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RangeDirectoryTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  private final Simulation simulation = new Simulation(1);
  private final SimCluster cluster = new SimCluster(simulation);
  private final RangeDirectory directory = new RangeDirectory();
  private final List<List<RangeDescriptor>> receivedRanges = new ArrayList<>();
  private MetadataGroup metadata;

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
  void open() throws Exception {
    SimHost host = cluster.start(A);
    MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(A));
    metadata = MetadataGroup.open(host, new NoStorage(), MetadataSettings.DEFAULT, host.process());
    metadata.watch(directory);
    simulation.runUntil("the metadata replica leads", () -> metadata.leadership().leading(), 5_000);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void shouldNotifyClientsOfTheRangesOfTheirStore() {
    write(RangeDirectory.initialChanges(List.of(range("words", 2, 1, A), range("words", 1, 1, A))));
    directory.follow("words", receivedRanges::add);
    assertThat(receivedRanges.get(0))
        .extracting(range -> range.id().number())
        .containsExactly(1L, 2L);
    write(RangeDirectory.initialChanges(List.of(range("names", 1, 1, A))));
    assertThat(directory.ranges()).hasSize(3);
    assertThat(receivedRanges.get(1)).hasSize(2);
  }

  @Test
  void shouldReturnTheReplicasOfARangeAndTheVersionOfItsRecord() {
    write(RangeDirectory.initialChanges(List.of(range("words", 1, 1, A))));
    directory.follow("words", receivedRanges::add);
    RangeDescriptor moved = range("words", 1, 2, B);
    long version = publishedRange("words", 1).version();
    write(
        List.of(
            Change.put(
                RangeDirectory.key(moved.id()), RangeDescriptorCodec.encode(moved), version)));
    assertThat(receivedRanges.get(1)).containsExactly(moved);
    assertThat(publishedRange("words", 1).version()).isGreaterThan(version);
  }

  @Test
  void shouldPublishTheFirstRangesOnlyOnce() {
    write(RangeDirectory.initialChanges(List.of(range("words", 1, 1, A))));
    WriteResult again = write(RangeDirectory.initialChanges(List.of(range("words", 1, 1, B))));
    assertThat(again).isInstanceOf(WriteResult.Conflict.class);
    assertThat(publishedRange("words", 1).descriptor().replicas())
        .isEqualTo(ReplicaSet.ofVoters(A));
  }

  @Test
  void shouldTolerateUnreadableRecordsAndFailingFollowers() {
    directory.follow(
        "words",
        ranges -> {
          if (!ranges.isEmpty()) {
            throw new IllegalStateException("a client's bug");
          }
        });
    directory.follow("words", receivedRanges::add);
    write(List.of(Change.put("range/words/7", new byte[] {99})));
    write(RangeDirectory.initialChanges(List.of(range("words", 1, 1, A))));
    assertThat(receivedRanges.get(receivedRanges.size() - 1))
        .containsExactly(range("words", 1, 1, A));
  }

  private RangeDirectory.Published publishedRange(String store, long number) {
    return Objects.requireNonNull(directory.ranges().get(new RangeId(store, number)));
  }

  private WriteResult write(List<Change> batch) {
    CompletableFuture<WriteResult> written = metadata.write(batch);
    simulation.runUntil("the change is written", written::isDone, 5_000);
    return written.join();
  }

  private static RangeDescriptor range(String store, long number, long replicas, NodeId voter) {
    return new RangeDescriptor(
        new RangeId(store, number),
        number == 1
            ? new KeyInterval(new byte[0], new byte[] {5})
            : new KeyInterval(new byte[] {5}, new byte[] {9}),
        new RangeEpoch(1, replicas),
        ReplicaSet.ofVoters(voter));
  }
}
