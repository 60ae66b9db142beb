package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** A cluster of n0, n1 and n2 in virtual time; all are voters and serve. n0 leads the metadata. */
final class ThreeNodes implements AutoCloseable {
  private static final long TIMEOUT_MILLIS = 60_000;

  final Simulation simulation = new Simulation(1);
  final SimCluster cluster = new SimCluster(simulation);
  private final LoopbackPeers peers = LoopbackPeers.simulated(cluster.network());
  final List<NodeId> ids = List.of(new NodeId("n0"), new NodeId("n1"), new NodeId("n2"));
  final List<SimNode> nodes = new ArrayList<>();

  /**
   * @param defect the defect planted in each node
   */
  ThreeNodes(SimNode.Defect defect) throws IOException {
    for (NodeId id : ids) {
      ReplicaSet members =
          nodes.isEmpty() ? ReplicaSet.ofVoters(id) : nodes.get(0).group().status().replicas();
      SimNode node = SimNode.start(cluster.start(id), peers, members, List.of(), defect);
      nodes.add(node);
      node.membership().markReady();
      await("the node serves", node.membership()::isServing);
    }
    await("all are voters", () -> nodes.get(0).group().status().replicas().voters().size() == 3);
  }

  /** Kills the process of a node. */
  void crash(int node) {
    peers.start(ids.get(node)).stop();
    cluster.crash(ids.get(node));
  }

  /** Restarts the node on its disk; it is not ready yet. */
  ClusterMembership restart(int node) throws IOException {
    NodeId id = ids.get(node);
    SimNode again =
        SimNode.start(cluster.start(id), peers, ReplicaSet.ofVoters(id), List.of(), SimNode.NONE);
    nodes.set(node, again);
    return again.membership();
  }

  void await(String what, BooleanSupplier condition) {
    simulation.runUntil(what, condition, TIMEOUT_MILLIS);
  }

  <T> T await(String what, CompletableFuture<T> future) {
    await(what, future::isDone);
    return future.join();
  }

  /** The state of the node in the view of n0. */
  Member.State state(NodeId node) {
    Member member = nodes.get(0).membership().members().find(node);
    if (member == null) {
      throw new AssertionError(node + " is not a member");
    }
    return member.state();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
