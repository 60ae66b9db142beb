package io.fjordmq.broker.simulation;

import io.fjordmq.broker.simulation.ModelClient.Character;
import io.fjordmq.cluster.consensus.sim.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One seed's run: clients live wildly on a broker whose stores answer late or not at all and that
 * crashes and comes back; then there is peace, everybody gets what is owed to him, and when the
 * last session has ended nothing is left.
 */
final class BrokerSimulation {
  private static final int ROUNDS = 20;
  private static final long PATIENCE_MILLIS = 120_000;
  private static final long LOOK_MILLIS = 20;
  private static final long QUIET_MILLIS = 3_000;
  private static final List<Character> CLIENTS =
      List.of(
          new Character("p5", 5, true, 100),
          new Character("p3", 4, true, 100),
          new Character("slow", 5, true, 2),
          new Character("t5", 5, false, 4),
          new Character("t3", 4, false, 100));

  private final Simulation simulation;
  private final Ledger ledger;
  private final BrokerLives broker;
  private final List<ModelClient> clients = new ArrayList<>();

  BrokerSimulation(long seed, Path installs, Defect defect, boolean tellsStory) {
    this.simulation = new Simulation(seed);
    this.ledger = new Ledger(seed, tellsStory);
    this.broker = new BrokerLives(simulation, installs, defect, ledger);
    List<String> filters = new ArrayList<>(List.of("#", "t/+/0", "t/+/1"));
    for (Character client : CLIENTS) {
      filters.add("t/" + client.clientId() + "/#");
      filters.add("t/" + client.clientId() + "/0");
    }
    for (Character client : CLIENTS) {
      String own = "t/" + client.clientId() + "/";
      clients.add(newClient(client, List.of(own + "0", own + "1"), List.copyOf(filters)));
    }
  }

  /**
   * @return messages that were received
   * @throws AssertionError naming the seed if a promise is broken
   */
  long run() {
    try (broker;
        ErrorLog log = ErrorLog.open()) {
      simulation.afterEveryEvent(() -> assertNoDefectSeen(log));
      broker.start();
      await("the broker listens", broker::isListening);
      broker.setFaults(new RoughTransport.Faults(3, 2, 10));
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
    if (broker.running() == null) {
      broker.start();
    }
    clients.forEach(ModelClient::rest);
    await("every client is connected and has its answers", () -> all(ModelClient::isAtRest));
    clients.forEach(client -> client.publishTo(client.topics(), 1));
    clients.forEach(client -> client.publishTo(client.topics(), 2));
    // Nothing that follows these messages will show that they are there.
    simulation.run(simulation.between(0, 40));
    broker.loseLeaders();
    await("every client has its answers again", () -> all(ModelClient::isAtRest));
    await("everything arrives", () -> ledger.missing().isEmpty());
    simulation.run(QUIET_MILLIS);
    assertRetained();
    ModelClient last = clients.get(clients.size() - 1);
    end(clients.subList(0, clients.size() - 1));
    // A route that could not be removed in time goes when a message follows it.
    last.publishTo(clients.stream().flatMap(client -> client.topics().stream()).toList(), 1);
    await("the last one has its answers", last::isAtRest);
    end(List.of(last));
    SimBroker running = broker.running();
    if (running != null) {
      await("nothing is left", () -> running.leftovers().isEmpty());
    }
  }

  /** Somebody new finds each topic's last acknowledged retained message, or a later one. */
  private void assertRetained() {
    ModelClient reader = newClient(new Character("reader", 5, false, 100), List.of(), List.of());
    reader.rest();
    await("the reader is connected", reader::isAtRest);
    await(
        "the reader is subscribed",
        () -> {
          reader.subscribeTo("t/#"); // a broker without patience may refuse
          simulation.run(QUIET_MILLIS);
          return reader.isSubscribed();
        });
    await("retained messages are found", () -> retainedInSpiteOf(reader) == null);
    end(List.of(reader));
  }

  private @Nullable Publication retainedInSpiteOf(ModelClient reader) {
    return clients.stream()
        .flatMap(client -> client.topics().stream())
        .map(topic -> ledger.laterRetained(topic, reader.retained(topic)))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private ModelClient newClient(Character who, List<String> topics, List<String> filters) {
    return new ModelClient(simulation, who, ledger, broker::running, topics, filters);
  }

  private void end(List<ModelClient> leaving) {
    await(
        "sessions are ended",
        () -> {
          leaving.stream().filter(ModelClient::isAtRest).forEach(ModelClient::endSession);
          return leaving.stream().allMatch(ModelClient::isGone);
        });
    simulation.run(QUIET_MILLIS);
  }

  private boolean all(Predicate<ModelClient> what) {
    return clients.stream().allMatch(what);
  }

  private void await(String what, BooleanSupplier condition) {
    long end = simulation.now() + PATIENCE_MILLIS;
    while (!condition.getAsBoolean()) {
      if (simulation.now() > end) {
        throw ledger.violated("waited in vain until " + what + "; " + state());
      }
      simulation.run(LOOK_MILLIS);
    }
  }

  private String state() {
    SimBroker last = broker.running();
    List<String> left = last == null ? List.of("no broker") : last.leftovers();
    return "owed: %s; left: %s; dropped: %s"
        .formatted(ledger.missing(), left, last == null ? "" : last.counters().dropped());
  }

  private void assertNoDefectSeen(ErrorLog log) {
    if (log.first() != null) {
      throw ledger.violated("the broker logs an error: " + log.first());
    }
  }
}
