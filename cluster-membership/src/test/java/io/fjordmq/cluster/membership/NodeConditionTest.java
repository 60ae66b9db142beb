package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Disk conditions that a node reports, and their effects on its state. */
class NodeConditionTest {

  /**
   * Goal: a report that was not written is never taken as proof that the other nodes can continue
   * without this disk. Method: the node is isolated.
   */
  @Test
  void shouldFailToReportTheDiskStateWithoutAMajority() throws IOException {
    for (boolean leaving : new boolean[] {false, true}) {
      try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
        NodeId id = three.ids.get(2);
        ClusterMembership membership = three.nodes.get(2).membership();
        three.await(
            "it is leaving", leaving ? membership.decommission() : membership.setDraining(true));
        three.await(
            "it is not UP", () -> !membership.members().inState(Member.State.UP).contains(id));
        three.cluster.network().partition(three.ids, List.of(id));
        CompletableFuture<Void> reported = membership.reportDiskState(Member.State.FULL);
        three.simulation.run(20_000);
        assertThat(reported).isCompletedExceptionally();
      }
    }
  }

  /**
   * Goal: a report about the disk does not undo a decommission. Method: the node reports
   * immediately, before its own copy of the metadata shows that it is LEAVING.
   */
  @Test
  void shouldStayLeavingRegardlessOfTheDiskCondition() throws IOException {
    try (ThreeNodes three = new ThreeNodes(SimNode.NONE)) {
      NodeId id = three.ids.get(2);
      ClusterMembership membership = three.nodes.get(2).membership();
      CompletableFuture<Void> reported =
          membership
              .decommission()
              .thenCompose(leaves -> membership.reportDiskState(Member.State.FULL));
      three.await("it is reported", reported::isDone);
      three.simulation.run(1_000);
      assertThat(three.state(id)).isEqualTo(Member.State.LEAVING);
      assertThat(reported).isCompletedExceptionally();
    }
  }
}
