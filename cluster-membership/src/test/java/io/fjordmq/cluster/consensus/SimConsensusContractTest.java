package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.testing.Simulation;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** The simulated groups fulfill the contract. */
final class SimConsensusContractTest extends ConsensusContract {
  private static final long LIMIT_MILLIS = 60_000;

  private final Simulation simulation = new Simulation(1);
  private final SimCluster cluster = new SimCluster(simulation);

  SimConsensusContractTest() {
    cluster.network().setFaults(new SimNetwork.Faults(1, 1, 0, 5, 0));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Override
  public ConsensusHost start(NodeId node) {
    return cluster.start(node);
  }

  @Override
  public void stop(NodeId node) {
    cluster.stop(node);
  }

  @Override
  public void advanceUntil(String what, BooleanSupplier condition) {
    simulation.runUntil(what, condition, LIMIT_MILLIS);
  }
}
