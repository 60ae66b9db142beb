package io.fjordmq.cluster.consensus;

import static io.fjordmq.cluster.consensus.LoopbackCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.LoopbackCluster.Member;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** A group of one that becomes a group of two. */
final class GrowingGroupTest {
  private static final ReplicaSet ONE = ReplicaSet.ofVoters(node(1));
  private static final ReplicaSet TWO = ReplicaSet.ofVoters(node(1), node(2));

  @TempDir Path directory;

  /**
   * jraft 1.4.1 would never stand for election again: it believes that it hears a leader, if it
   * stepped down while it needed the consent of the old group, itself, and of the new one. Whether
   * it is in that state at the moment is chance, most often it is.
   */
  @RepeatedTest(3)
  void shouldHaveALeaderAgainWhenItWasCutOffWhileItGrew() throws Exception {
    try (LoopbackCluster cluster = new LoopbackCluster(directory)) {
      Member first = cluster.start(node(1), ONE, new ValuesState());
      cluster.write("a");
      Member second = cluster.start(node(2), ONE, new ValuesState());
      CompletableFuture<Void> grown = first.consensus().changeReplicas(TWO);
      while (!grown.isDone() && !first.consensus().status().replicas().equals(TWO)) {
        Thread.onSpinWait();
      }
      first.host().suppressLeaderRequests(true);
      second.host().suppressLeaderRequests(true);
      Await.until("it leads no more", () -> !first.consensus().leadership().leading());
      first.host().suppressLeaderRequests(false);
      second.host().suppressLeaderRequests(false);
      cluster.leader();
      cluster.write("b");
      cluster.awaitEverywhere(List.of("a", "b"));
      assertThat(grown).isDone();
      assertThat(cluster.leader().consensus().status().replicas()).isEqualTo(TWO);
    }
  }
}
