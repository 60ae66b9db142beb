package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.Simulation;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.LoopbackPeers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a node learns that its life is over. */
class NextLifeTest {
  private static final long PATIENCE_MILLIS = 60_000;

  /**
   * Goal: a node that the cluster counts as down begins its next life though its own copy of the
   * metadata never says so, as that of a newcomer that was given none. Method: the copy stops, the
   * node is cut off until it is down, and comes back.
   */
  @Test
  void shouldBeginThoughTheMetadataDoNotReachTheNode() throws ConsensusException, IOException {
    Simulation simulation = new Simulation(1);
    try (SimCluster cluster = new SimCluster(simulation)) {
      LoopbackPeers peers = LoopbackPeers.simulated(cluster.network());
      List<NodeId> ids = List.of(new NodeId("n0"), new NodeId("n1"), new NodeId("n2"));
      List<SimNode> nodes = new ArrayList<>();
      for (NodeId id : ids) {
        ReplicaSet members =
            nodes.isEmpty() ? ReplicaSet.ofVoters(id) : nodes.get(0).group().status().replicas();
        SimNode node = SimNode.start(cluster.start(id), peers, members, SimNode.NONE);
        nodes.add(node);
        node.membership().ready();
        simulation.runUntil("it serves", node.membership()::isServing, PATIENCE_MILLIS);
      }
      simulation.runUntil(
          "all three vote",
          () -> nodes.get(0).group().status().replicas().voters().size() == 3,
          PATIENCE_MILLIS);
      SimNode stale = nodes.get(2);
      stale.host().halt(MetadataGroup.GROUP, new IOException("its log takes nothing any more"));
      cluster.network().partition(ids, List.of(ids.get(2)));
      simulation.runUntil("it is down", () -> !isAlive(nodes.get(0), ids.get(2)), PATIENCE_MILLIS);
      cluster.network().heal();
      simulation.runUntil(
          "it has its next life", () -> stale.membership().incarnation() == 2, PATIENCE_MILLIS);
      assertThat(isAlive(nodes.get(0), ids.get(2))).isTrue();
      assertThat(isAlive(stale, ids.get(2))).as("by what it knew last, its first").isTrue();
    }
  }

  private static boolean isAlive(SimNode seeing, NodeId node) {
    Member member = seeing.membership().members().find(node);
    return member != null && member.isAlive();
  }
}
