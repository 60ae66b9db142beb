package io.fjordmq.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigLoader;
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

  @TempDir private Path folder;

  private BrokerConfig config() throws Exception {
    Path file = folder.resolve("node.yml");
    Files.writeString(
        file,
        """
        bootstrap: true
        clusterConfig:
          host: 127.0.0.1
          port: %d
        """
            .formatted(FreePorts.forCluster()));
    return ConfigLoader.load(
            new ConfigLoader.CommandLine(
                file, folder.resolve("data").toString(), folder.resolve("logs").toString()))
        .config();
  }

  private static ClusterNode open(BrokerConfig config, DataDirectory directory) throws Exception {
    NodeIdentity identity = ClusterNode.identify(config, directory);
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
      NodeIdentity self = ClusterNode.identify(config, directory);
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
}
