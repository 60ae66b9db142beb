package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.ThreadTimers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a node whose lease has expired decides that its clients should connect elsewhere. */
class LeaseExpiryTest {
  private static final long LONG_MILLIS = 20_000;

  private final int[] expiries = new int[3];
  private final int[] renewals = new int[3];

  /** Method: in virtual time, no node keeps metadata leadership; all nodes reach each other. */
  @Test
  void shouldKeepItsClientsWhileNoNodeServes() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      three.nodes.forEach(node -> watch(three, node));
      deposeLeaders(three, LONG_MILLIS);
      assertThat(three.nodes).noneMatch(node -> node.membership().isServing());
      int[] renewalsBefore = renewals.clone();
      three.await("all serve again", () -> allServe(three));
      assertThat(expiries).containsExactly(0, 0, 0);
      for (int i = 0; i < 3; i++) {
        assertThat(renewals[i]).as("notified that it continues").isGreaterThan(renewalsBefore[i]);
        assertThat(three.nodes.get(i).membership().incarnation()).isEqualTo(1);
      }
    }
  }

  /** Each leader loses its term immediately, so that it grants no leases. */
  private static void deposeLeaders(ThreeNodes three, long millis) {
    long end = three.simulation.now() + millis;
    while (three.simulation.now() < end) {
      three.nodes.forEach(node -> node.host().depose(MetadataGroup.GROUP));
      three.simulation.run(1);
    }
  }

  private static boolean allServe(ThreeNodes three) {
    return three.nodes.stream().allMatch(node -> node.membership().isServing());
  }

  /** An isolated node cannot know that others serve, because it cannot reach them. */
  @Test
  void shouldKeepItsClientsWhileItIsIsolated() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      three.nodes.forEach(node -> watch(three, node));
      three.cluster.network().partition(three.ids, List.of(three.ids.get(2)));
      three.simulation.run(LONG_MILLIS);
      assertThat(three.nodes.get(2).membership().isServing()).isFalse();
      assertThat(expiries).containsExactly(0, 0, 0);
    }
  }

  /** Method: only the connection between the third node and the metadata leader is cut. */
  @Test
  void shouldDisconnectItsClientsAsLongAsAnotherNodeServes() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      three.nodes.forEach(node -> watch(three, node));
      NodeId leader = three.ids.get(0);
      NodeId partitioned = three.ids.get(2);
      three.cluster.network().cut(leader, partitioned);
      three.cluster.network().cut(partitioned, leader);
      three.await("it notifies its listeners", () -> expiries[2] > 0);
      assertThat(three.nodes.get(2).membership().isServing()).isFalse();
      three.simulation.run(3_000);
      assertThat(expiries[2]).as("repeatedly").isGreaterThan(3);
      assertThat(expiries[0] + expiries[1]).isZero();
    }
  }

  @Test
  void shouldKeepItsWireFormat() {
    LoopbackPeers peers = LoopbackPeers.immediate();
    NodeId serverId = new NodeId("server");
    LoopbackPeers.Node server = peers.start(serverId);
    LoopbackPeers.Node client = peers.start(new NodeId("client"));
    boolean[] serves = {true};
    try (ThreadTimers timers = new ThreadTimers("test")) {
      new LeaseExpiry(serverId, new MemberView(), server, MembershipSettings.DEFAULT, timers)
          .registerHandler(() -> serves[0]);
      Duration second = Duration.ofSeconds(1);
      assertThat(client.call(serverId, "serving", new byte[] {1}, second).join())
          .containsExactly(1, 1);
      serves[0] = false;
      assertThat(client.call(serverId, "serving", new byte[] {1}, second).join())
          .containsExactly(1, 0);
      assertThatThrownBy(() -> client.call(serverId, "serving", new byte[] {2}, second).join())
          .hasMessageContaining("upgrade this node");
    }
  }

  private void watch(ThreeNodes three, SimNode node) {
    int index = three.nodes.indexOf(node);
    node.membership()
        .watch(
            new MembershipListener() {
              @Override
              public void onLeaseExpired(long incarnation) {
                expiries[index]++;
              }

              @Override
              public void onLeaseRenewed(long incarnation) {
                renewals[index]++;
              }
            });
  }
}
