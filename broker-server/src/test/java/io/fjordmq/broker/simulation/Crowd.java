package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The model clients of a run, and what they do together. */
final class Crowd {
  static final long QUIET_MILLIS = 3_000;

  private static final long TIMEOUT_MILLIS = 120_000;
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
  private final Brokers brokers;
  private final Supplier<String> state;
  private final ModelClient witness;
  private final List<ModelClient> publishers = new ArrayList<>();
  private final List<ModelClient> clients = new ArrayList<>();

  /**
   * @param state of the brokers, for whoever has to find out why something does not happen
   */
  Crowd(Simulation simulation, Ledger ledger, Brokers brokers, Supplier<String> state) {
    this.simulation = simulation;
    this.ledger = ledger;
    this.brokers = brokers;
    this.state = state;
    this.witness = newClient(Character.steady("witness", 5, 100), List.of(), List.of());
    clients.add(witness);
    clients.add(newClient(Character.steady("m5", 5, 3), List.of(), List.of()));
    clients.add(newClient(Character.steady("m3", 4, 100), List.of(), List.of()));
    clients.add(newClient(Character.passing("mt", 5, 3), List.of(), List.of(SHARE)));
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
    clients.addAll(publishers);
  }

  ModelClient newClient(Character who, List<String> topics, List<String> filters) {
    return new ModelClient(simulation, who, ledger, brokers, topics, filters);
  }

  Simulation simulation() {
    return simulation;
  }

  Ledger ledger() {
    return ledger;
  }

  /** Is subscribed to all wills, all the time. */
  ModelClient witness() {
    return witness;
  }

  /** Who is to see everything is there before it begins. */
  void subscribeSteadyClients() {
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

  /**
   * @param willPercent how many connections have wills
   */
  void goWild(int willPercent) {
    clients.stream()
        .filter(client -> client != witness)
        .forEach(client -> client.setWillPercent(willPercent));
    clients.forEach(ModelClient::goWild);
  }

  /** All is well again: everybody stays, and says some last words, of which none may be lost. */
  void rest(Runnable afterLastWords) {
    clients.forEach(ModelClient::rest);
    await(
        "every client is connected and has its answers", () -> all(clients, ModelClient::isAtRest));
    publishers.forEach(client -> client.publishTo(client.topics(), 1));
    publishers.forEach(client -> client.publishTo(client.topics(), 2));
    // Nothing that follows these messages will show that they are there.
    simulation.run(simulation.between(0, 40));
    afterLastWords.run();
    await("every client has its answers again", () -> all(clients, ModelClient::isAtRest));
    await("everything arrives", () -> ledger.missing().isEmpty());
    simulation.run(QUIET_MILLIS);
    ledger.shares().forEach(ShareRecord::requireOnce);
    assertRetained();
  }

  /**
   * Something happens during which every client that is connected stays connected, whatever it
   * sends.
   *
   * @param half of it; done twice
   */
  void stay(String what, Runnable half) {
    final List<String> before = connections();
    publishers.forEach(client -> client.publishTo(client.topics(), 1));
    half.run();
    publishers.forEach(client -> client.publishTo(client.topics(), 2));
    half.run();
    await("every client has its answers after " + what, () -> all(clients, ModelClient::isAtRest));
    if (!connections().equals(before)) {
      throw ledger.violated(
          "while %s, connections ended: %s, now %s".formatted(what, before, connections()));
    }
    await("everything arrives after " + what, () -> ledger.missing().isEmpty());
  }

  private List<String> connections() {
    return clients.stream().map(ModelClient::connectionName).toList();
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

  /** Wills with which not happened what had to. */
  List<String> wrongWills() {
    return ledger.wrongWills(witness.subscriber().session(), brokers.now());
  }

  /** All sessions end. */
  void leave() {
    ModelClient last = publishers.get(publishers.size() - 1);
    end(clients.stream().filter(client -> client != last).toList());
    // A route that could not be removed in time goes when a message follows it.
    last.publishTo(publishers.stream().flatMap(client -> client.topics().stream()).toList(), 1);
    last.publishTo(List.of("w/any", "e/any"), 1);
    await("the last one has its answers", last::isAtRest);
    end(List.of(last));
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
    long end = simulation.now() + TIMEOUT_MILLIS;
    while (!condition.getAsBoolean()) {
      if (simulation.now() > end) {
        throw ledger.violated(
            "waited in vain until %s; owed: %s; wills: %s; %s"
                .formatted(what, ledger.missing(), wrongWills(), state.get()));
      }
      simulation.run(LOOK_MILLIS);
    }
  }
}
