package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.testing.Simulation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The number of voters is a setting of the cluster, not of a node. */
class VoterCountsTest {
  private static final NodeId A = new NodeId("a");
  private static final List<StorePlacement> NODE_SETTINGS =
      List.of(new StorePlacement("dist", 3, true), new StorePlacement("inbox", 5, false));

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

  private WriteResult write(List<Change> batch) throws Exception {
    CompletableFuture<WriteResult> written = metadata.write(batch);
    simulation.runUntil("the change is written", written::isDone, 5_000);
    return written.get();
  }

  @Test
  void shouldUseTheNodeSettingsWhileTheClusterHasNone() {
    assertThat(VoterCounts.withStoredCounts(metadata.view(), NODE_SETTINGS))
        .isEqualTo(NODE_SETTINGS);
  }

  @Test
  void shouldKeepTheInitialCountsUntilTheyAreChanged() throws Exception {
    write(
        VoterCounts.initialChanges(
            List.of(new StorePlacement("dist", 1, true), new StorePlacement("inbox", 2, false))));
    assertThat(VoterCounts.withStoredCounts(metadata.view(), NODE_SETTINGS))
        .containsExactly(
            new StorePlacement("dist", 1, true), new StorePlacement("inbox", 2, false));
    write(List.of(VoterCounts.change(new StorePlacement("inbox", 4, false))));
    assertThat(VoterCounts.withStoredCounts(metadata.view(), NODE_SETTINGS))
        .containsExactly(
            new StorePlacement("dist", 1, true), new StorePlacement("inbox", 4, false));
    assertThat(write(VoterCounts.initialChanges(NODE_SETTINGS)))
        .isInstanceOf(WriteResult.Conflict.class);
  }

  @Test
  void shouldKeepItsBytesAndRejectOthers() throws Exception {
    Change change = VoterCounts.change(new StorePlacement("inbox", 4, false));
    assertThat(change.key()).isEqualTo("voters/inbox");
    assertThat(change.value()).containsExactly(1, 4);
    for (byte[] value : List.of(new byte[] {2, 4}, new byte[] {1, 9}, new byte[] {1})) {
      write(List.of(Change.put("voters/inbox", value)));
      assertThatThrownBy(() -> VoterCounts.withStoredCounts(metadata.view(), NODE_SETTINGS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("inbox");
    }
  }
}
