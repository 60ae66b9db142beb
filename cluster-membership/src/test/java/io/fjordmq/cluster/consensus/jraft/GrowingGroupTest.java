package io.fjordmq.cluster.consensus.jraft;

import static io.fjordmq.cluster.consensus.LoopbackCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.LoopbackCluster;
import io.fjordmq.cluster.consensus.LoopbackCluster.Member;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ValuesState;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** A group that grows from one voter to two. */
final class GrowingGroupTest {
  private static final ReplicaSet ONE_VOTER = ReplicaSet.ofVoters(node(1));
  private static final ReplicaSet TWO_VOTERS = ReplicaSet.ofVoters(node(1), node(2));

  @TempDir Path directory;

  /**
   * A jraft 1.4.1 node that steps down while it needs a majority of the old group (itself) and of
   * the new group never starts another election, because it believes that a leader is alive.
   * Whether a run reaches this state depends on timing; most runs do.
   */
  @RepeatedTest(3)
  void shouldElectALeaderAfterAPartitionWhileGrowing() throws Exception {
    try (LoopbackCluster cluster = new LoopbackCluster(directory)) {
      Member first = cluster.start(node(1), ONE_VOTER, new ValuesState());
      cluster.write("a");
      Member second = cluster.start(node(2), ONE_VOTER, new ValuesState());
      CompletableFuture<Void> grown = first.consensus().changeReplicas(TWO_VOTERS);
      while (!grown.isDone() && !first.consensus().status().replicas().equals(TWO_VOTERS)) {
        Thread.onSpinWait();
      }
      first.host().suppressLeaderRequests(true);
      second.host().suppressLeaderRequests(true);
      Await.until("the leader stepped down", () -> !first.consensus().leadership().leading());
      first.host().suppressLeaderRequests(false);
      second.host().suppressLeaderRequests(false);
      cluster.leader();
      cluster.write("b");
      cluster.awaitEverywhere(List.of("a", "b"));
      assertThat(grown).isDone();
      assertThat(cluster.leader().consensus().status().replicas()).isEqualTo(TWO_VOTERS);
    }
  }
}
