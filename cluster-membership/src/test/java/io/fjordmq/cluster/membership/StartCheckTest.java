package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.SeedSource;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.peer.HelloReply;
import io.fjordmq.cluster.peer.PeerException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stand-alone start requires that no other node runs; a slow node counts as running. */
class StartCheckTest {
  private static final NodeId SELF = new NodeId("self");
  private static final NodeAddress OTHER = new NodeAddress("other", 1);

  private final Queue<CompletableFuture<HelloReply>> replies = new ArrayDeque<>();
  private StartCheck check;
  private NodeAddresses addresses;

  @BeforeEach
  void createCheck() {
    addresses = NodeAddresses.inMemory();
    JoinSettings settings =
        new JoinSettings(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ZERO, Duration.ZERO);
    NodeAddress address = new NodeAddress("self", 1);
    check =
        new StartCheck(
            new NodeIdentity(SELF, "ours"),
            new JoinOptions(
                JoinOptions.Creation.NONE,
                "Test",
                address,
                SeedSource.fixed(List.of(address, OTHER)),
                settings,
                SupportedLevels.FIRST_ONLY),
            (to, hello, timeout) -> replies.remove(),
            StartFence.inMemory(SELF, new StartStamp(1, 1)));
  }

  @Test
  void shouldRetryWhenANodeIsSlow() {
    replies.add(failed(PeerException.Kind.NO_RESPONSE));
    replies.add(failed(PeerException.Kind.NO_RESPONSE));
    replies.add(helloFrom("ours"));
    assertThatThrownBy(() -> check.requireNoOtherRunning(addresses))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("another node of this cluster is running at other:1");
    assertThat(replies).isEmpty();
  }

  @Test
  void shouldNotRetryWhenNothingListens() throws Exception {
    replies.add(failed(PeerException.Kind.NOT_SENT));
    check.requireNoOtherRunning(addresses);
    assertThat(replies).isEmpty();
  }

  @Test
  void shouldIgnoreNodesOfOtherClusters() throws Exception {
    replies.add(helloFrom("theirs"));
    check.requireNoOtherRunning(addresses);
    assertThat(replies).isEmpty();
  }

  @Test
  void shouldCountANodeThatRefusesThisStartAsRunning() {
    replies.add(failed(PeerException.Kind.IN_USE));
    assertThatThrownBy(() -> check.requireNoOtherRunning(addresses))
        .hasMessageContaining("without --alone");
  }

  private static CompletableFuture<HelloReply> failed(PeerException.Kind kind) {
    return CompletableFuture.failedFuture(new PeerException(kind, "simulated failure"));
  }

  private static CompletableFuture<HelloReply> helloFrom(String cluster) {
    return CompletableFuture.completedFuture(
        new HelloReply(
            cluster,
            "Test",
            new NodeId("other"),
            new StartStamp(1, 2),
            OTHER,
            Set.of(),
            Set.of(),
            null,
            Map.of(),
            0,
            1));
  }
}
