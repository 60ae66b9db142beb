package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.nio.file.Path;

/**
 * One seed's run: clients live wildly on a broker whose stores answer late or not at all and that
 * crashes and comes back; then there is peace, everybody gets what is owed to him, sessions end in
 * every way there is, and when the last has ended nothing is left.
 */
final class BrokerSimulation {
  private static final int ROUNDS = 20;
  private static final int WILL_PERCENT = 50;

  private final Simulation simulation;
  private final Ledger ledger;
  private final BrokerLives broker;
  private final Crowd crowd;

  BrokerSimulation(long seed, Path installs, Defect defect, boolean tellsStory) {
    this.simulation = new Simulation(seed);
    this.ledger = new Ledger(seed, tellsStory);
    this.broker = new BrokerLives(simulation, installs, defect, ledger);
    this.crowd = new Crowd(simulation, ledger, broker, this::state);
  }

  /**
   * @return messages that were received
   * @throws AssertionError naming the seed if a promise is broken
   */
  long run() {
    try (broker;
        ErrorLog log = ErrorLog.open(line -> line.contains(BrokerLives.FAULT))) {
      simulation.afterEveryEvent(() -> log.assertNone(ledger));
      broker.start();
      crowd.subscribeSteadyClients();
      broker.setFaults(new RoughTransport.Faults(3, 2, 10));
      crowd.goWild(WILL_PERCENT);
      for (int round = 0; round < ROUNDS; round++) {
        broker.trouble();
        simulation.run(simulation.between(1, 500));
      }
      peace();
      return ledger.received();
    }
  }

  private void peace() {
    ledger.note("peace");
    broker.setFaults(RoughTransport.Faults.NONE);
    broker.ensureRunning();
    crowd.rest(broker::loseLeaders);
    new Partings(crowd, broker).happen();
    crowd.await("wills have become of what must", () -> crowd.wrongWills().isEmpty());
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
