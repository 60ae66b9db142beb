package io.fjordmq.broker.simulation;

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
 * crashes and comes back; then there is peace, everybody gets what is owed to him, sessions end in
 * every way there is, and when the last has ended nothing is left.
 */
final class BrokerSimulation {
  static final long QUIET_MILLIS = 3_000;

  private static final int ROUNDS = 20;
  private static final long PATIENCE_MILLIS = 120_000;
  private static final long LOOK_MILLIS = 20;
  private static final String SHARE = "$share/g/s/#";
  private static final List<Character> PUBLISHERS =
      List.of(
          Character.persistent("p5", 5, 100),
          Character.persistent("p3", 4, 100),
          Character.persistent("slow", 5, 2),
          Character.forgetful("brief", 4),
          Character.passing("t5", 5, 4),
          Character.passing("t3", 4, 100));

  private final Simulation simulation;
  private final Ledger ledger;
  private final BrokerLives broker;
  private final ModelClient witness;
  private final List<ModelClient> members = new ArrayList<>();
  private final List<ModelClient> publishers = new ArrayList<>();
  private final List<ModelClient> clients = new ArrayList<>();

  BrokerSimulation(long seed, Path installs, Defect defect, boolean tellsStory) {
    this.simulation = new Simulation(seed);
    this.ledger = new Ledger(seed, tellsStory);
    this.broker = new BrokerLives(simulation, installs, defect, ledger);
    this.witness = newClient(Character.steady("witness", 5, 100), List.of(), List.of());
    members.add(newClient(Character.steady("m5", 5, 3), List.of(), List.of()));
    members.add(newClient(Character.steady("m3", 4, 100), List.of(), List.of()));
    members.add(newClient(Character.passing("mt", 5, 3), List.of(), List.of(SHARE)));
    List<String> filters = new ArrayList<>(List.of("#", "t/+/0", "t/+/1"));
    for (Character client : PUBLISHERS) {
      filters.add("t/" + client.clientId() + "/#");
      filters.add("t/" + client.clientId() + "/0");
    }
    for (Character client : PUBLISHERS) {
      String own = "t/" + client.clientId() + "/";
      List<String> topics = List.of(own + "0", own + "1", "s/" + client.clientId());
      publishers.add(newClient(client, topics, List.copyOf(filters)));
    }
    clients.add(witness);
    clients.addAll(members);
    clients.addAll(publishers);
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
      subscribeSteadyClients();
      broker.setFaults(new RoughTransport.Faults(3, 2, 10));
      clients.stream()
          .filter(client -> client != witness)
          .forEach(client -> client.setWillPercent(50));
      clients.forEach(ModelClient::goWild);
      for (int round = 0; round < ROUNDS; round++) {
        broker.trouble();
        simulation.run(simulation.between(1, 500));
      }
      peace();
      return ledger.received();
    }
  }

  /** Who is to see everything is there before it begins. */
  private void subscribeSteadyClients() {
    List<ModelClient> steady =
        clients.stream().filter(client -> client.character().steady()).toList();
    steady.forEach(ModelClient::rest);
    await("the steady clients are connected", () -> all(steady, ModelClient::isAtRest));
    await(
        "the steady clients are subscribed",
        () -> {
          for (ModelClient client : steady) {
            if (!client.isSubscribed()) {
              client.subscribeTo(client == witness ? "w/+" : SHARE, 2);
            }
          }
          simulation.run(QUIET_MILLIS);
          return all(steady, ModelClient::isSubscribed);
        });
    ledger.share(SHARE).begins();
  }

  private void peace() {
    ledger.note("peace");
    broker.setFaults(RoughTransport.Faults.NONE);
    broker.ensureRunning();
    clients.forEach(ModelClient::rest);
    await(
        "every client is connected and has its answers", () -> all(clients, ModelClient::isAtRest));
    publishers.forEach(client -> client.publishTo(client.topics(), 1));
    publishers.forEach(client -> client.publishTo(client.topics(), 2));
    // Nothing that follows these messages will show that they are there.
    simulation.run(simulation.between(0, 40));
    broker.loseLeaders();
    await("every client has its answers again", () -> all(clients, ModelClient::isAtRest));
    await("everything arrives", () -> ledger.missing().isEmpty());
    simulation.run(QUIET_MILLIS);
    ledger.shares().forEach(ShareRecord::requireOnce);
    assertRetained();
    new Partings(this, broker).happen();
    assertWills();
    assertNothingStays();
  }

  /** Somebody new finds each topic's last acknowledged retained message, or a later one. */
  private void assertRetained() {
    Character who =
        simulation.chance(50)
            ? Character.passing("reader", 5, 100)
            : Character.persistent("reader", 4, 100);
    ModelClient reader = newClient(who, List.of(), List.of());
    reader.rest();
    await("the reader is connected", reader::isAtRest);
    await(
        "the reader is subscribed",
        () -> {
          reader.subscribeTo("t/#", 1); // a broker without patience may refuse
          simulation.run(QUIET_MILLIS);
          return reader.isSubscribed();
        });
    await("retained messages are found", () -> retainedInSpiteOf(reader) == null);
    end(List.of(reader));
  }

  private @Nullable Publication retainedInSpiteOf(ModelClient reader) {
    return publishers.stream()
        .flatMap(client -> client.topics().stream())
        .filter(topic -> topic.startsWith("t/"))
        .map(topic -> ledger.laterRetained(topic, reader.retained(topic), Ledger.NEVER))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private void assertWills() {
    await(
        "wills have become of what must",
        () -> ledger.wrongWills(witness.subscriber().session(), broker.now()).isEmpty());
  }

  private void assertNothingStays() {
    ModelClient last = publishers.get(publishers.size() - 1);
    end(clients.stream().filter(client -> client != last).toList());
    // A route that could not be removed in time goes when a message follows it.
    last.publishTo(publishers.stream().flatMap(client -> client.topics().stream()).toList(), 1);
    last.publishTo(List.of("w/any", "e/any"), 1);
    await("the last one has its answers", last::isAtRest);
    end(List.of(last));
    SimBroker running = broker.running();
    if (running != null) {
      await("nothing is left", () -> running.leftovers().isEmpty());
    }
  }

  // ---- for all parts of a run

  ModelClient newClient(Character who, List<String> topics, List<String> filters) {
    return new ModelClient(simulation, who, ledger, broker, topics, filters);
  }

  Simulation simulation() {
    return simulation;
  }

  Ledger ledger() {
    return ledger;
  }

  /** Lets them end their sessions. */
  void end(List<ModelClient> leaving) {
    await(
        "sessions are ended",
        () -> {
          leaving.stream().filter(ModelClient::isAtRest).forEach(ModelClient::endSession);
          return all(leaving, ModelClient::isGone);
        });
    simulation.run(QUIET_MILLIS);
  }

  static boolean all(List<ModelClient> which, Predicate<ModelClient> what) {
    return which.stream().allMatch(what);
  }

  void await(String what, BooleanSupplier condition) {
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
    return "owed: %s; wills: %s; left: %s; dropped: %s"
        .formatted(
            ledger.missing(),
            ledger.wrongWills(witness.subscriber().session(), broker.now()),
            last == null ? List.of("no broker") : last.leftovers(),
            last == null ? "" : last.counters().dropped());
  }

  private void assertNoDefectSeen(ErrorLog log) {
    if (log.first() != null) {
      throw ledger.violated("the broker logs an error: " + log.first());
    }
  }
}
