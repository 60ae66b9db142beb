package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Goal: a merge can be requested at any node; the driver of the metadata leader performs it. */
class MergeRequestsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId RANGE = new RangeId("words", 300);

  private final LoopbackPeers network = LoopbackPeers.immediate();
  private final List<String> merged = new ArrayList<>();
  private CompletableFuture<Void> outcome = CompletableFuture.completedFuture(null);
  private @Nullable NodeId leader = B;

  private MergeRequests startNode(NodeId id) {
    LoopbackPeers.Node peers = network.start(id);
    MergeRequests requests =
        new MergeRequests(
            new TestMembership(id),
            peers,
            range -> {
              merged.add(id + " " + range);
              return outcome;
            },
            () -> leader,
            PlacementSettings.DEFAULTS);
    requests.serve(peers);
    return requests;
  }

  @Test
  void shouldCallTheActiveDriver() {
    MergeRequests first = startNode(A);
    startNode(B);
    assertThat(first.merge(RANGE)).isCompleted();
    leader = A;
    assertThat(first.merge(RANGE)).isCompleted();
    assertThat(merged).containsExactly("b words-300", "a words-300");
  }

  @Test
  void shouldReportFailures() {
    MergeRequests first = startNode(A);
    leader = null;
    assertThat(first.merge(RANGE))
        .failsWithin(java.time.Duration.ofSeconds(1))
        .withThrowableThat()
        .withMessageContaining("the metadata group has no leader");
    leader = A;
    outcome = CompletableFuture.failedFuture(new IllegalStateException("node b is not up"));
    assertThat(first.merge(RANGE))
        .failsWithin(java.time.Duration.ofSeconds(1))
        .withThrowableThat()
        .withMessageContaining("node b is not up");
    assertThat(merged).hasSize(1);
  }
}
