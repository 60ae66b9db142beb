package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.nio.file.Path;

/**
 * One seed's run: clients act randomly on a broker whose stores respond late or not at all and that
 * crashes and restarts. Then all faults end, every client receives its messages, sessions end in
 * every possible way, and when the last has ended no state is left.
 */
final class BrokerSimulation {
  private static final int ROUNDS = 20;
  private static final int WILL_PERCENT = 50;

  private final Simulation simulation;
  private final Ledger ledger;
  private final RestartableBroker broker;
  private final ModelClients crowd;

  BrokerSimulation(long seed, Path installs, Defect defect, boolean tellsStory) {
    this.simulation = new Simulation(seed);
    this.ledger = new Ledger(seed, tellsStory);
    this.broker = new RestartableBroker(simulation, installs, defect, ledger);
    this.crowd = new ModelClients(simulation, ledger, broker, this::state);
  }

  /**
   * @return messages that were received
   * @throws AssertionError naming the seed if a guarantee is violated
   */
  long run() {
    try (broker;
        ErrorLog log = ErrorLog.open(line -> line.contains(RestartableBroker.FAULT))) {
      simulation.afterEveryEvent(() -> log.assertNone(ledger));
      broker.start();
      crowd.subscribeSteadyClients();
      broker.setFaults(new UnreliableTransport.Faults(3, 2, 10));
      crowd.startRandomActivity(WILL_PERCENT);
      for (int round = 0; round < ROUNDS; round++) {
        broker.injectFault();
        simulation.run(simulation.between(1, 500));
      }
      recover();
      return ledger.received();
    }
  }

  private void recover() {
    ledger.note("peace");
    broker.setFaults(UnreliableTransport.Faults.NONE);
    broker.ensureRunning();
    crowd.stopRandomActivity(broker::loseLeaders);
    new SessionEndScenarios(crowd, broker).runScenarios();
    crowd.await("wills have the expected fate", () -> crowd.wrongWills().isEmpty());
    crowd.leave();
    SimBroker running = broker.running();
    if (running != null) {
      crowd.await("nothing is left", () -> running.leftovers().isEmpty());
    }
  }

  private String state() {
    SimBroker last = broker.running();
    return last == null
        ? "no broker"
        : "left: " + last.leftovers() + "; dropped: " + last.counters().onDropped();
  }
}
