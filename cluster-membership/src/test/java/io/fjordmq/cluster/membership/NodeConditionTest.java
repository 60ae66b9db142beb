package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a node may say of its disk, and what follows from it. */
class NodeConditionTest {

  /**
   * Goal: nobody takes the answer for the proof that others can go on without this disk, if nothing
   * was written. Method: the node is cut off.
   */
  @Test
  void shouldNotSucceedWithoutAMajorityWhileTheNodeLeaves() throws ConsensusException, IOException {
    for (boolean leaving : new boolean[] {false, true}) {
      try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
        NodeId id = three.ids.get(2);
        ClusterMembership membership = three.nodes.get(2).membership();
        three.await("it goes", leaving ? membership.decommission() : membership.drain(true));
        three.await("it knows", () -> !membership.members().in(Member.State.UP).contains(id));
        three.cluster.network().partition(three.ids, List.of(id));
        CompletableFuture<Void> said = membership.condition(Member.State.FULL);
        three.simulation.run(20_000);
        assertThat(said).isCompletedExceptionally();
      }
    }
  }

  /**
   * Goal: what the node says of its disk does not undo that it leaves. Method: it says so at once,
   * when its own copy of the metadata does not have yet that it leaves.
   */
  @Test
  void shouldStayLeavingWhateverItsDisk() throws ConsensusException, IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      ClusterMembership membership = three.nodes.get(2).membership();
      CompletableFuture<Void> said =
          membership.decommission().thenCompose(leaves -> membership.condition(Member.State.FULL));
      three.await("it is said", said::isDone);
      three.simulation.run(1_000);
      assertThat(three.state(id)).isEqualTo(Member.State.LEAVING);
      assertThat(said).isCompletedExceptionally();
    }
  }
}
