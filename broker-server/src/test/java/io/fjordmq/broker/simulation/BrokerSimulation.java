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
  private final ModelClients clients;

  BrokerSimulation(long seed, Path installs, Defect defect, boolean printsRecentEvents) {
    this.simulation = new Simulation(seed);
    this.ledger = new Ledger(seed, printsRecentEvents);
    this.broker = new RestartableBroker(simulation, installs, defect, ledger);
    this.clients = new ModelClients(simulation, ledger, broker, this::state);
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
      clients.subscribeSteadyClients();
      broker.setFaults(new UnreliableTransport.Faults(3, 2, 10));
      clients.startRandomActivity(WILL_PERCENT);
      for (int round = 0; round < ROUNDS; round++) {
        broker.injectFault();
        simulation.run(simulation.between(1, 500));
      }
      recover();
      return ledger.received();
    }
  }

  private void recover() {
    ledger.note("all faults end");
    broker.setFaults(UnreliableTransport.Faults.NONE);
    broker.ensureRunning();
    clients.stopRandomActivity(broker::loseLeaders);
    new SessionEndScenarios(clients, broker).runScenarios();
    clients.await("wills have the expected fate", () -> clients.wrongWills().isEmpty());
    clients.endAllSessions();
    SimBroker running = broker.running();
    if (running != null) {
      clients.await("nothing is left", () -> running.leftovers().isEmpty());
    }
  }

  private String state() {
    SimBroker last = broker.running();
    return last == null
        ? "no broker"
        : "left: " + last.leftovers() + "; dropped: " + last.counters().dropped();
  }
}
