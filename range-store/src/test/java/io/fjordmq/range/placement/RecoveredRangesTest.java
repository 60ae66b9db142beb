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
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.StoredReplica;
import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which ranges a cluster has when one node remains. */
class RecoveredRangesTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId SELF = new NodeId("self");

  private final Simulation simulation = new Simulation(1);
  private final SimCluster cluster = new SimCluster(simulation);
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
    simulation.runUntil("the metadata replica leads", () -> metadata.leadership().leading(), 5_000);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private static RangeDescriptor range(
      long number, int start, @Nullable Integer end, long version) {
    byte[] from = start == 0 ? new byte[0] : new byte[] {(byte) start};
    return new RangeDescriptor(
        new RangeId("words", number),
        end == null ? KeyInterval.from(from) : new KeyInterval(from, new byte[] {end.byteValue()}),
        new RangeEpoch(version, 7),
        ReplicaSet.ofVoters(A));
  }

  private static StoredReplica replica(RangeDescriptor range, long applied) {
    return new StoredReplica(range, applied);
  }

  private RecoveredRanges recovered(List<RangeDescriptor> published, StoredReplica... replicas) {
    write(RangeDirectory.initialChanges(published));
    return RecoveredRanges.of(RangeDirectory.of(metadata.view()), "words", List.of(replicas), SELF);
  }

  private void write(List<Change> changes) {
    List<WriteResult> results = new ArrayList<>();
    metadata.write(changes).thenAccept(results::add);
    simulation.runUntil("a write", () -> !results.isEmpty(), 5_000);
    assertThat(results.get(0)).isInstanceOf(WriteResult.Applied.class);
  }

  @Test
  void shouldKeepWhatTheNodeHas() {
    RangeDescriptor low = range(1, 0, 8, 1);
    RangeDescriptor high = range(2, 8, null, 1);
    RecoveredRanges ranges = recovered(List.of(low, high), replica(high, 20), replica(low, 30));
    assertThat(ranges.lost()).isEmpty();
    assertThat(ranges.kept()).extracting(RangeDescriptor::id).containsExactly(low.id(), high.id());
    write(ranges.changes());
    assertThat(RangeDirectory.of(metadata.view()).ranges("words"))
        .isEqualTo(ranges.kept())
        .allSatisfy(range -> assertThat(range.replicas()).isEqualTo(ReplicaSet.ofVoters(SELF)))
        .allSatisfy(range -> assertThat(range.epoch().isNewerThan(low.epoch())).isTrue());
  }

  @Test
  void shouldReplaceLostKeysByEmptyRanges() {
    RangeDescriptor first = range(1, 0, 4, 1);
    RangeDescriptor middle = range(5, 4, 8, 3);
    RangeDescriptor last = range(9, 8, null, 2);
    RecoveredRanges ranges =
        recovered(List.of(first, middle, last), replica(middle, 99), replica(last, 0));
    assertThat(ranges.kept()).extracting(RangeDescriptor::id).containsExactly(middle.id());
    assertThat(ranges.lost())
        .extracting(RecoveredRanges.Lost::keys)
        .containsExactly(first.interval(), last.interval());
    assertThat(ranges.lost().get(0).published()).containsExactly(first.id());
    assertThat(ranges.replacements())
        .extracting(range -> range.id().number())
        .containsExactly(10L, 11L);
    assertThat(ranges.replacements())
        .allSatisfy(range -> assertThat(range.epoch().version()).isGreaterThan(1 << 20));
    write(ranges.changes());
    RangeDirectory directory = RangeDirectory.of(metadata.view());
    assertThat(directory.ranges("words"))
        .extracting(range -> range.id().number())
        .containsExactly(10L, 5L, 11L);
    assertThat(directory.nextNumber("words").number()).isEqualTo(12);
  }

  @Test
  void shouldKeepAnOldReplicaOfKeysThatHaveNoOther() {
    RangeDescriptor beforeSplit = range(1, 0, null, 1);
    RecoveredRanges ranges =
        recovered(List.of(range(1, 0, 8, 2), range(2, 8, null, 2)), replica(beforeSplit, 20));
    assertThat(ranges.lost()).isEmpty();
    assertThat(ranges.kept().get(0).interval()).isEqualTo(KeyInterval.ALL);
  }

  @Test
  void shouldPreferTheLaterOfOverlappingReplicas() {
    RangeDescriptor merged = range(1, 0, null, 5);
    RangeDescriptor stale = range(2, 8, null, 4);
    RecoveredRanges ranges = recovered(List.of(merged), replica(stale, 20), replica(merged, 30));
    assertThat(ranges.kept()).extracting(RangeDescriptor::id).containsExactly(merged.id());
    assertThat(ranges.lost()).isEmpty();
  }

  @Test
  void shouldDropThePinsOfTheRanges() {
    RangeDescriptor all = range(1, 0, null, 1);
    write(List.of(RangePin.put(all.id(), new RangePin(Set.of(A), A), Change.ABSENT)));
    RecoveredRanges ranges = recovered(List.of(all), replica(all, 20));
    write(ranges.changes());
    RangeDirectory directory = RangeDirectory.of(metadata.view());
    assertThat(directory.pins()).isEmpty();
    assertThat(Objects.requireNonNull(directory.ranges().get(all.id())).descriptor())
        .isEqualTo(ranges.kept().get(0));
  }
}
