package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The model clients of a run and their common actions. */
final class ModelClients {
  static final long QUIET_MILLIS = 3_000;

  private static final long TIMEOUT_MILLIS = 120_000;
  private static final long CHECK_MILLIS = 20;
  private static final String SHARE = "$share/g/s/#";
  private static final List<ClientProfile> PUBLISHERS =
      List.of(
          ClientProfile.persistent("p5", 5, 100),
          ClientProfile.persistent("p3", 4, 100),
          ClientProfile.persistent("slow", 5, 2),
          ClientProfile.withShortExpiry("brief", 4),
          ClientProfile.withTransientSession("t5", 5, 4),
          ClientProfile.withTransientSession("t3", 4, 100));

  private final Simulation simulation;
  private final Ledger ledger;
  private final Brokers brokers;
  private final Supplier<String> state;
  private final ModelClient witness;
  private final List<ModelClient> publishers = new ArrayList<>();
  private final List<ModelClient> clients = new ArrayList<>();

  /**
   * @param state of the brokers, to analyze a timeout
   */
  ModelClients(Simulation simulation, Ledger ledger, Brokers brokers, Supplier<String> state) {
    this.simulation = simulation;
    this.ledger = ledger;
    this.brokers = brokers;
    this.state = state;
    this.witness = newClient(ClientProfile.steady("witness", 5, 100), List.of(), List.of());
    clients.add(witness);
    clients.add(newClient(ClientProfile.steady("m5", 5, 3), List.of(), List.of()));
    clients.add(newClient(ClientProfile.steady("m3", 4, 100), List.of(), List.of()));
    clients.add(
        newClient(ClientProfile.withTransientSession("mt", 5, 3), List.of(), List.of(SHARE)));
    List<String> filters = new ArrayList<>(List.of("#", "t/+/0", "t/+/1"));
    for (ClientProfile client : PUBLISHERS) {
      filters.add("t/" + client.clientId() + "/#");
      filters.add("t/" + client.clientId() + "/0");
    }
    for (ClientProfile client : PUBLISHERS) {
      String own = "t/" + client.clientId() + "/";
      List<String> topics = List.of(own + "0", own + "1", "s/" + client.clientId());
      publishers.add(newClient(client, topics, List.copyOf(filters)));
    }
    clients.addAll(publishers);
  }

  ModelClient newClient(ClientProfile who, List<String> topics, List<String> filters) {
    return new ModelClient(simulation, who, ledger, brokers, topics, filters);
  }

  Simulation simulation() {
    return simulation;
  }

  Ledger ledger() {
    return ledger;
  }

  /** Subscribes to all wills for the whole run. */
  ModelClient witness() {
    return witness;
  }

  /** Subscribes the steady clients before any message is published. */
  void subscribeSteadyClients() {
    List<ModelClient> steady =
        clients.stream().filter(client -> client.profile().steady()).toList();
    steady.forEach(ModelClient::stopRandomActivity);
    await("the steady clients are connected", () -> allMatch(steady, ModelClient::isIdle));
    await(
        "the steady clients are subscribed",
        () -> {
          for (ModelClient client : steady) {
            if (!client.isSubscribed()) {
              client.subscribeTo(client == witness ? "w/+" : SHARE, 2);
            }
          }
          return runUntil(() -> allMatch(steady, ModelClient::isSubscribed));
        });
    ledger.share(SHARE).start();
  }

  /**
   * @param willPercent the percentage of connections with wills
   */
  void startRandomActivity(int willPercent) {
    clients.stream()
        .filter(client -> client != witness)
        .forEach(client -> client.setWillPercent(willPercent));
    clients.forEach(ModelClient::startRandomActivity);
  }

  /** After all faults: every client stays connected and publishes messages that must arrive. */
  void stopRandomActivity(Runnable afterLastWords) {
    clients.forEach(ModelClient::stopRandomActivity);
    await(
        "every client is connected and has its answers",
        () -> allMatch(clients, ModelClient::isIdle));
    publishers.forEach(client -> client.publishTo(client.topics(), 1));
    publishers.forEach(client -> client.publishTo(client.topics(), 2));
    // No later message follows that would reveal that one of these is missing.
    simulation.run(simulation.between(0, 40));
    afterLastWords.run();
    await("every client has its answers again", () -> allMatch(clients, ModelClient::isIdle));
    await("everything arrives", ledger::isComplete);
    simulation.run(QUIET_MILLIS);
    ledger.shares().forEach(ShareRecord::requireOnce);
    assertRetained();
  }

  /**
   * Checks that every connected client stays connected while something happens, whatever it sends.
   *
   * @param half half of what happens; run twice
   */
  void assertConnectionsSurvive(String what, Runnable half) {
    final List<String> before = connections();
    publishers.forEach(client -> client.publishTo(client.topics(), 1));
    half.run();
    publishers.forEach(client -> client.publishTo(client.topics(), 2));
    half.run();
    await(
        "every client has its answers after " + what, () -> allMatch(clients, ModelClient::isIdle));
    if (!connections().equals(before)) {
      throw ledger.violation(
          "while %s, connections ended: %s, now %s".formatted(what, before, connections()));
    }
    await("everything arrives after " + what, ledger::isComplete);
  }

  private List<String> connections() {
    return clients.stream().map(ModelClient::connectionName).toList();
  }

  /** A new client finds each topic's last acknowledged retained message, or a later one. */
  private void assertRetained() {
    ClientProfile who =
        simulation.chance(50)
            ? ClientProfile.withTransientSession("reader", 5, 100)
            : ClientProfile.persistent("reader", 4, 100);
    ModelClient reader = newClient(who, List.of(), List.of());
    reader.stopRandomActivity();
    await("the reader is connected", reader::isIdle);
    await(
        "the reader is subscribed",
        () -> {
          reader.subscribeTo("t/#", 1); // a broker that times out store calls may refuse it
          return runUntil(reader::isSubscribed);
        });
    await("retained messages are found", () -> findOutdatedRetained(reader) == null);
    endSessions(List.of(reader));
  }

  private @Nullable Publication findOutdatedRetained(ModelClient reader) {
    return publishers.stream()
        .flatMap(client -> client.topics().stream())
        .filter(topic -> topic.startsWith("t/"))
        .map(topic -> ledger.laterRetained(topic, reader.retained(topic), Ledger.NEVER))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Wills with an unexpected fate. */
  List<String> wrongWills() {
    return ledger.wrongWills(witness.subscriber().session(), brokers.now());
  }

  /** Ends all sessions. */
  void endAllSessions() {
    ModelClient last = publishers.get(publishers.size() - 1);
    endSessions(clients.stream().filter(client -> client != last).toList());
    // A route that could not be removed in time is removed when a message matches it.
    last.publishTo(publishers.stream().flatMap(client -> client.topics().stream()).toList(), 1);
    last.publishTo(List.of("w/any", "e/any"), 1);
    await("the last client has its acknowledgements", last::isIdle);
    endSessions(List.of(last));
  }

  /** Makes these clients end their sessions. */
  void endSessions(List<ModelClient> leaving) {
    await(
        "sessions are ended",
        () -> {
          leaving.stream().filter(ModelClient::isIdle).forEach(ModelClient::endSession);
          return allMatch(leaving, ModelClient::isGone);
        });
    simulation.run(QUIET_MILLIS);
  }

  static boolean allMatch(List<ModelClient> which, Predicate<ModelClient> what) {
    return which.stream().allMatch(what);
  }

  /**
   * Runs until the condition holds, at most for the quiet time; returns whether it holds. A single
   * broker always gets the quiet time, because the seeds that detect rare defects depend on it.
   */
  private boolean runUntil(BooleanSupplier condition) {
    long end = simulation.now() + QUIET_MILLIS;
    if (!ledger.hasManyNodes()) {
      simulation.run(QUIET_MILLIS);
    }
    while (!condition.getAsBoolean() && simulation.now() < end) {
      simulation.run(CHECK_MILLIS);
    }
    return condition.getAsBoolean();
  }

  void await(String what, BooleanSupplier condition) {
    long end = simulation.now() + TIMEOUT_MILLIS;
    while (!condition.getAsBoolean()) {
      if (simulation.now() > end) {
        throw ledger.violation(
            "timed out waiting until %s; missing: %s; wills: %s; %s"
                .formatted(what, ledger.missing(), wrongWills(), state.get()));
      }
      simulation.run(CHECK_MILLIS);
    }
  }
}
