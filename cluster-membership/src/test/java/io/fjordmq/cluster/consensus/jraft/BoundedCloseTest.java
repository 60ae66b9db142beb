package io.fjordmq.cluster.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ProbeProposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.ValuesState;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Closing a replica terminates even if the state machine, jraft or a thread inside one of their
 * calls is stuck.
 */
@Timeout(60)
final class BoundedCloseTest {
  private static final GroupId GROUP = new GroupId("inbox-1");
  private static final int SMALL_STACK = 160 << 10;
  private static final int DEEPER_THAN_ANY_STACK = 10_000_000;

  @TempDir Path directory;
  private JRaftHost host;

  @BeforeEach
  void start() throws Exception {
    ConsensusSettings settings = ConsensusSettings.DEFAULT.withCloseTimeout(Duration.ofMillis(100));
    // jraft keeps a node that cannot end registered under its name until the process ends.
    NodeId self = new NodeId(directory.getFileName().toString());
    host = JRaftHost.open(self, directory, settings, ConsensusObserver.NONE);
    host.create(GROUP, ReplicaSet.ofVoters(self));
  }

  @AfterEach
  void stop() {
    host.close();
  }

  private Consensus lead(ReplicatedState state) {
    Consensus consensus = host.open(GROUP, state);
    Await.until("the only voter leads", () -> consensus.leadership().leading());
    return consensus;
  }

  private static ProbeProposal propose(Consensus consensus) {
    ProbeProposal probe = new ProbeProposal();
    byte[] entry = "a".getBytes(StandardCharsets.UTF_8);
    consensus.propose(consensus.leadership().term(), entry, probe);
    return probe;
  }

  @Test
  void shouldCloseAReplicaWhoseStateDoesNotReturn() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch applying = new CountDownLatch(1);
    ReplicatedState stuck = new StuckState(applying, release);
    Consensus consensus = lead(stuck);
    propose(consensus);
    assertThat(applying.await(20, TimeUnit.SECONDS)).isTrue();

    consensus.close();
    assertThatThrownBy(() -> host.open(GROUP, new ValuesState()))
        .as("the old state could still write")
        .hasMessageContaining("threads of the closed replica of group inbox-1 are still running");
    assertThatThrownBy(() -> host.destroy(GROUP)).hasMessageContaining("are still running");

    release.countDown();
    Await.until("the threads of the replica have ended", this::canBeDestroyed);
  }

  private boolean canBeDestroyed() {
    try {
      host.destroy(GROUP);
      return true;
    } catch (ConsensusException stillRunning) {
      return false;
    }
  }

  @Test
  void shouldCloseTheHostAlthoughAStateDoesNotReturn() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch applying = new CountDownLatch(1);
    Consensus consensus = lead(new StuckState(applying, release));
    propose(consensus);
    assertThat(applying.await(20, TimeUnit.SECONDS)).isTrue();
    host.close();
    release.countDown(); // finds a closed log, not freed memory
  }

  /** A thread without stack space can release neither the gate nor a jraft lock that it holds. */
  @Test
  void shouldCloseAfterStackOverflowsInsideItsCalls() throws Exception {
    Consensus consensus = lead(new ValuesState());
    for (int i = 0; i < 4; i++) {
      Thread overflowing =
          new Thread(null, () -> overflow(consensus, 0), "overflowing-" + i, SMALL_STACK);
      overflowing.start();
      overflowing.join();
    }
    consensus.close();
    assertThatThrownBy(() -> consensus.readIndex().get(20, TimeUnit.SECONDS))
        .hasMessageContaining("is closed");
  }

  /** Calls from every stack depth, so that the stack overflows once in each line of the call. */
  private static void overflow(Consensus consensus, int depth) {
    try {
      if (depth < DEEPER_THAN_ANY_STACK) {
        overflow(consensus, depth + 1);
      }
    } catch (StackOverflowError deepest) {
      // the calls start here
    }
    try {
      consensus.status();
    } catch (StackOverflowError noStackLeft) {
      // expected near the end of the stack
    }
  }

  /** Applying an entry blocks until the test releases it. */
  private record StuckState(CountDownLatch applying, CountDownLatch release)
      implements ReplicatedState {
    @Override
    public long appliedIndex() {
      return 0;
    }

    @Override
    public void apply(List<CommittedEntry> entries) {
      applying.countDown();
      try {
        release.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void onLeaderStart(long term) {}

    @Override
    public void onLeaderStop() {}

    @Override
    public void checkpoint(CheckpointRequest request) {}

    @Override
    public long export(Path target) {
      return 0;
    }

    @Override
    public void install(Path source) {}

    @Override
    public void onHalted(ConsensusException cause) {}
  }
}
