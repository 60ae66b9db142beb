package io.fjordmq.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.metadata.StartRecord;
import io.fjordmq.testing.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A start is counted before the log opens, and registered once the metadata group has a leader: a
 * copy of the directory started later, or a failed start, must not look like this one.
 */
class ClusterNodeStartTest {
  private static final String STARTS = "starts";
  private static final String LOG = "log";
  private static final String FORMING = "forming";

  @TempDir private Path folder;

  private BrokerConfig config() throws Exception {
    return config("bootstrap: true", "host: 127.0.0.1");
  }

  private BrokerConfig config(String first, String inClusterConfig) throws Exception {
    Path file = folder.resolve("node.yml");
    Files.writeString(
        file,
        """
        %s
        clusterConfig:
          %s
          port: %d
        """
            .formatted(first, inClusterConfig, FreePorts.forCluster()));
    return ConfigLoader.load(
            new ConfigLoader.CommandLine(
                file, folder.resolve("data").toString(), folder.resolve("logs").toString()))
        .config();
  }

  private static ClusterNode open(BrokerConfig config, DataDirectory directory) throws Exception {
    NodeIdentity identity = ClusterNode.identify(config, directory, progress -> {});
    return ClusterNode.open(config, identity, directory, ConsensusObserver.NONE);
  }

  /** Returns the line with the start counter and token that the directory stores for its node. */
  private static String readOwnRecord(DataDirectory directory) throws Exception {
    List<String> lines = Files.readAllLines(directory.resolve(STARTS));
    assertThat(lines).hasSize(2);
    return lines.get(1);
  }

  @Test
  void shouldCountTheStartBeforeOpeningTheLog() throws Exception {
    BrokerConfig config = config();
    try (DataDirectory directory = DataDirectory.open(Path.of(config.dataDir()))) {
      NodeIdentity self = ClusterNode.identify(config, directory, progress -> {});
      Files.writeString(directory.resolve(LOG), "not a directory, so the log cannot be opened");
      for (int start = 1; start <= 2; start++) {
        assertThatThrownBy(() -> open(config, directory)).hasStackTraceContaining("JRaftHost");
        assertThat(readOwnRecord(directory)).startsWith(self.node() + " " + start + " ");
      }
    }
  }

  @Test
  void shouldRegisterTheStartBeforeBecomingAMember() throws Exception {
    BrokerConfig config = config();
    for (int start = 1; start <= 2; start++) {
      try (DataDirectory directory = DataDirectory.open(Path.of(config.dataDir()));
          ClusterNode node = open(config, directory)) {
        assertThat(node.membership().metadata().leadership().leading()).isTrue();
        StartStamp registered =
            Objects.requireNonNull(StartRecord.all(node.metadata().view()).get(node.self()));
        assertThat(registered.count()).isEqualTo(start);
        assertThat(readOwnRecord(directory))
            .isEqualTo("%s %d %x".formatted(node.self(), registered.count(), registered.token()));
      }
    }
  }

  @Test
  void shouldCreateAClusterByItselfOnlyOnLoopbackWithoutSeeds() throws Exception {
    BrokerConfig alone = config("expectNodes: 0", "env: Test");
    try (DataDirectory directory = DataDirectory.open(Path.of(alone.dataDir()))) {
      NodeIdentity self = ClusterNode.identify(alone, directory, progress -> {});
      assertThat(directory.resolve(FORMING)).as("until the cluster exists").exists();
      try (ClusterNode node = open(alone, directory)) {
        assertThat(node.self()).isEqualTo(self.node());
        assertThat(node.membership().metadata().leadership().leading()).isTrue();
        assertThat(directory.resolve(FORMING)).doesNotExist();
      }
      Files.move(directory.resolve(LOG), folder.resolve("lost"));
      assertThatThrownBy(() -> open(alone, directory))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("the data directory has an identity but no cluster metadata");
    }
  }

  @Test
  void shouldNotCreateAClusterByItselfIfOthersCanReachIt() throws Exception {
    BrokerConfig open = config("expectNodes: 0", "host: 0.0.0.0");
    try (DataDirectory directory = DataDirectory.open(Path.of(open.dataDir()))) {
      assertThatThrownBy(() -> ClusterNode.identify(open, directory, progress -> {}))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("or expectNodes on all its nodes");
      assertThat(directory.resolve("node.id")).doesNotExist();
    }
  }

  @Test
  void shouldRefuseToCreateAClusterAfterAPromise() throws Exception {
    BrokerConfig bootstrap = config();
    BrokerConfig alone = config("expectNodes: 0", "env: Test");
    try (DataDirectory directory = DataDirectory.open(Path.of(alone.dataDir()))) {
      Files.writeString(
          directory.resolve(FORMING), "fjordmq forming, form 1\nnode b\nnumber 2\npromise a 1\n");
      assertThatThrownBy(() -> ClusterNode.identify(bootstrap, directory, progress -> {}))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("this node has promised to join the cluster of node a");
      assertThatThrownBy(() -> ClusterNode.identify(alone, directory, progress -> {}))
          .hasMessageContaining("this node waits for the cluster of node a");
    }
  }
}
