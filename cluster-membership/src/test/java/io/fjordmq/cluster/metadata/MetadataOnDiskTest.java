package io.fjordmq.cluster.metadata;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.jraft.JRaftHost;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metadata of a single node, with real files. */
final class MetadataOnDiskTest {
  private static final NodeId SELF = new NodeId("solo");

  @TempDir Path folder;

  @Test
  void shouldRecoverFromCheckpointAndLogWhenReopened() throws Exception {
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
  void shouldExplainWhatToDoWhenTheCheckpointIsDamaged() throws Exception {
    try (JRaftHost host = host()) {
      MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(SELF));
      Files.write(folder.resolve("metadata"), new byte[40]);
      assertThatThrownBy(() -> open(host))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("checkpoint is corrupt; start with an empty data directory");
    }
  }

  @Test
  void shouldReopenAfterALogFailure() throws Exception {
    try (JRaftHost disk = host()) {
      FailingHost host = new FailingHost(disk);
      MetadataGroup.bootstrap(disk, ReplicaSet.ofVoters(SELF));
      MetadataGroup group = lead(host);
      write(group, "a");
      host.fail();
      Thread.sleep(1_500);
      assertThat(host.openCount).as("the group would halt again while the log fails").isEqualTo(1);
      host.failure = null;
      Await.until("it is opened again", () -> host.openCount == 2);
      Await.until("it leads", () -> group.leadership().leading());
      write(group, "b");
      assertThat(group.view().records()).extracting(MetadataRecord::key).containsExactly("a", "b");
      group.close();
    }
  }

  @Test
  void shouldReopenAfterALogFailureDuringOpen() throws Exception {
    try (JRaftHost disk = host()) {
      FailingHost host = new FailingHost(disk);
      host.failsWhenOpened = true;
      MetadataGroup.bootstrap(disk, ReplicaSet.ofVoters(SELF));
      MetadataGroup group = open(host);
      Await.until("it is opened again", () -> host.openCount == 2);
      Await.until("the group is healthy", () -> group.failure() == null);
      group.close();
    }
  }

  /** Its log fails on demand. */
  private static final class FailingHost implements ConsensusHost {
    private final ConsensusHost host;
    private volatile int openCount;
    private boolean failsWhenOpened;
    private volatile @Nullable String failure;
    private volatile @Nullable ReplicatedState state;

    FailingHost(ConsensusHost host) {
      this.host = host;
    }

    void fail() {
      failure = "no space left";
      halt();
    }

    private void halt() {
      Objects.requireNonNull(state)
          .onHalted(new ConsensusException(ConsensusException.Kind.FAILED, "no space left"));
    }

    @Override
    public Set<GroupId> groups() {
      return host.groups();
    }

    @Override
    public void create(GroupId group, ReplicaSet members) {
      host.create(group, members);
    }

    @Override
    public void create(GroupId group, ReplicaSet members, long begin) {
      host.create(group, members, begin);
    }

    @Override
    public Consensus open(GroupId group, ReplicatedState replica) {
      state = replica;
      openCount++;
      Consensus consensus = host.open(group, replica);
      if (failsWhenOpened) {
        failsWhenOpened = false;
        halt();
      }
      return consensus;
    }

    @Override
    public void destroy(GroupId group) {
      host.destroy(group);
    }

    @Override
    public @Nullable String failure() {
      return failure;
    }

    @Override
    public void close() {
      host.close();
    }
  }

  private JRaftHost host() throws Exception {
    return JRaftHost.open(
        SELF, folder.resolve("raft"), ConsensusSettings.DEFAULT, ConsensusObserver.NONE);
  }

  private MetadataGroup open(ConsensusHost host) throws Exception {
    MetadataFile file = new MetadataFile(folder.resolve("metadata"));
    return MetadataGroup.open(host, file, MetadataSettings.DEFAULT, Runnable::run);
  }

  private MetadataGroup lead(ConsensusHost host) throws Exception {
    MetadataGroup group = open(host);
    CountDownLatch leads = new CountDownLatch(1);
    group.watch(
        new MetadataListener() {
          @Override
          public void onChanged(MetadataView view, List<MetadataUpdate> updates) {}

          @Override
          public void onLeaderStart(long term) {
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
