package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Goal: pending steps can be requested at any node; the driver of the metadata leader responds. */
class PendingStepRequestsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final RangeId RANGE = new RangeId("words", 300);
  private static final PendingStep MERGE =
      new PendingStep(RANGE, "merging", "node c is down", true, Duration.ofMillis(70_000));
  private static final PendingStep REMOVAL =
      new PendingStep(RANGE, "removing", "node c is down", false, Duration.ZERO);

  private final LoopbackPeers network = LoopbackPeers.immediate();
  private final List<String> canceledRequests = new ArrayList<>();
  private @Nullable NodeId leader = B;

  private PendingStepRequests startNode(NodeId id) {
    LoopbackPeers.Node peers = network.start(id);
    PendingStepRequests requests =
        new PendingStepRequests(
            new TestMembership(id),
            peers,
            () -> List.of(MERGE, REMOVAL),
            range -> {
              if (!canceledRequests.isEmpty()) {
                throw new IllegalStateException("nothing is in progress");
              }
              canceledRequests.add(id + " " + range);
            },
            () -> leader,
            PlacementSettings.DEFAULTS);
    requests.serve(peers);
    return requests;
  }

  @Test
  void shouldCallTheActiveDriver() {
    PendingStepRequests requests = startNode(A);
    startNode(B);
    assertThat(requests.list()).isCompletedWithValue(List.of(MERGE, REMOVAL));
    assertThat(requests.cancel(RANGE)).isCompleted();
    assertThat(canceledRequests).containsExactly("b words-300");
    leader = A;
    assertThat(requests.list()).isCompletedWithValue(List.of(MERGE, REMOVAL));
  }

  @Test
  void shouldReportFailures() {
    PendingStepRequests requests = startNode(A);
    startNode(B);
    canceledRequests.add("before");
    assertThat(requests.cancel(RANGE))
        .failsWithin(Duration.ofSeconds(1))
        .withThrowableThat()
        .withMessageContaining("nothing is in progress");
    leader = null;
    assertThat(requests.list())
        .failsWithin(Duration.ofSeconds(1))
        .withThrowableThat()
        .withMessageContaining("the metadata group has no leader");
  }
}
