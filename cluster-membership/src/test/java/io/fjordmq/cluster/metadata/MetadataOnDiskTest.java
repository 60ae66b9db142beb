package io.fjordmq.cluster.metadata;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.JRaftHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metadata of a node that runs alone, on real files. */
final class MetadataOnDiskTest {
  private static final NodeId SELF = new NodeId("solo");

  @TempDir Path folder;

  @Test
  void shouldHaveCheckpointAndLogAgainWhenOpenedAgain() throws Exception {
    try (JRaftHost host = host()) {
      MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(SELF));
      MetadataGroup group = lead(host);
      write(group, "a");
      group.checkpoint().get(20, TimeUnit.SECONDS);
      write(group, "b");
      assertThat(folder.resolve("metadata")).isNotEmptyFile();
    }
    try (JRaftHost host = host()) {
      assertThat(MetadataGroup.exists(host)).isTrue();
      assertThat(lead(host).view().records())
          .extracting(MetadataRecord::key)
          .containsExactly("a", "b");
    }
  }

  @Test
  void shouldSayWhatToDoWhenTheCheckpointIsDamaged() throws Exception {
    try (JRaftHost host = host()) {
      MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(SELF));
      Files.write(folder.resolve("metadata"), new byte[40]);
      assertThatThrownBy(() -> open(host))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("checkpoint is damaged; restore");
    }
  }

  private JRaftHost host() throws Exception {
    return JRaftHost.open(
        SELF, folder.resolve("raft"), ConsensusSettings.DEFAULT, ConsensusObserver.NONE);
  }

  private MetadataGroup open(JRaftHost host) throws Exception {
    MetadataFile file = new MetadataFile(folder.resolve("metadata"));
    return MetadataGroup.open(host, file, MetadataSettings.DEFAULT, Runnable::run);
  }

  private MetadataGroup lead(JRaftHost host) throws Exception {
    MetadataGroup group = open(host);
    CountDownLatch leads = new CountDownLatch(1);
    group.watch(
        new MetadataListener() {
          @Override
          public void changed(MetadataView view, List<MetadataUpdate> updates) {}

          @Override
          public void leading(long term) {
            leads.countDown();
          }
        });
    if (!group.leadership().leading()) {
      assertThat(leads.await(20, TimeUnit.SECONDS)).as("the only voter leads").isTrue();
    }
    return group;
  }

  private static void write(MetadataGroup group, String key) throws Exception {
    Change change = Change.put(key, key.getBytes(US_ASCII), Change.ABSENT);
    assertThat(group.write(List.of(change)).get(20, TimeUnit.SECONDS))
        .isInstanceOf(WriteResult.Applied.class);
  }
}
