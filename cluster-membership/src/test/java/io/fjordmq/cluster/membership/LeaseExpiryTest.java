package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.LoopbackPeers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a node whose lease has expired says that its clients are better off elsewhere. */
class LeaseExpiryTest {
  private static final long LONG_MILLIS = 20_000;

  private final int[] lapses = new int[3];
  private final int[] renewals = new int[3];

  /** Method: in virtual time nobody stays leader of the metadata; all nodes reach each other. */
  @Test
  void shouldKeepItsClientsWhileNoNodeServes() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      three.nodes.forEach(node -> watch(three, node));
      leaderless(three, LONG_MILLIS);
      assertThat(three.nodes).noneMatch(node -> node.membership().isServing());
      int[] renewalsBefore = renewals.clone();
      three.await("all serve again", () -> allServe(three));
      assertThat(lapses).containsExactly(0, 0, 0);
      for (int i = 0; i < 3; i++) {
        assertThat(renewals[i]).as("told that it goes on").isGreaterThan(renewalsBefore[i]);
        assertThat(three.nodes.get(i).membership().incarnation()).isEqualTo(1);
      }
    }
  }

  /** The leader loses its term as soon as it has one, so that it grants nothing. */
  private static void leaderless(ThreeNodes three, long millis) {
    long end = three.simulation.now() + millis;
    while (three.simulation.now() < end) {
      three.nodes.forEach(node -> node.host().depose(MetadataGroup.GROUP));
      three.simulation.run(1);
    }
  }

  private static boolean allServe(ThreeNodes three) {
    return three.nodes.stream().allMatch(node -> node.membership().isServing());
  }

  /** An isolated node cannot know that others serve: it does not hear them. */
  @Test
  void shouldKeepItsClientsWhileItHearsNobody() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      three.nodes.forEach(node -> watch(three, node));
      three.cluster.network().partition(three.ids, List.of(three.ids.get(2)));
      three.simulation.run(LONG_MILLIS);
      assertThat(three.nodes.get(2).membership().isServing()).isFalse();
      assertThat(lapses).containsExactly(0, 0, 0);
    }
  }

  /** Method: only the way between the third node and the leader of the metadata is cut. */
  @Test
  void shouldSendItsClientsAwayForAsLongAsAnotherNodeServes()
      throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      three.nodes.forEach(node -> watch(three, node));
      NodeId leader = three.ids.get(0);
      NodeId cut = three.ids.get(2);
      three.cluster.network().cut(leader, cut);
      three.cluster.network().cut(cut, leader);
      three.await("it says so", () -> lapses[2] > 0);
      assertThat(three.nodes.get(2).membership().isServing()).isFalse();
      three.simulation.run(3_000);
      assertThat(lapses[2]).as("again and again").isGreaterThan(3);
      assertThat(lapses[0] + lapses[1]).isZero();
    }
  }

  @Test
  void shouldKeepItsMessagesByteForByte() {
    LoopbackPeers peers = LoopbackPeers.immediate();
    NodeId asked = new NodeId("asked");
    LoopbackPeers.Node there = peers.start(asked);
    LoopbackPeers.Node here = peers.start(new NodeId("here"));
    boolean[] serves = {true};
    try (ThreadTimers timers = new ThreadTimers("test")) {
      new LeaseExpiry(asked, new MemberView(), there, MembershipSettings.DEFAULT, timers)
          .answerOthers(() -> serves[0]);
      Duration second = Duration.ofSeconds(1);
      assertThat(here.ask(asked, "serving", new byte[] {1}, second).join()).containsExactly(1, 1);
      serves[0] = false;
      assertThat(here.ask(asked, "serving", new byte[] {1}, second).join()).containsExactly(1, 0);
      assertThatThrownBy(() -> here.ask(asked, "serving", new byte[] {2}, second).join())
          .hasMessageContaining("upgrade this node");
    }
  }

  private void watch(ThreeNodes three, SimNode node) {
    int index = three.nodes.indexOf(node);
    node.membership()
        .watch(
            new MembershipListener() {
              @Override
              public void leaseExpired(long incarnation) {
                lapses[index]++;
              }

              @Override
              public void leaseRenewed(long incarnation) {
                renewals[index]++;
              }
            });
  }
}
