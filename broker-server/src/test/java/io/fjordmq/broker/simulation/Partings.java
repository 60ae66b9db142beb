package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;

/**
 * Sessions end in every way there is, on a broker whose stores answer: what comes of their wills,
 * who is still expected back and what he finds can be told for sure.
 */
final class Partings {
  /** By then the broker has noticed that a client is gone, whatever became of the connection. */
  private static final long NOTICED_MILLIS = 12_000;

  private static final long SHORT_SECONDS = 4;
  private static final long LONG_SECONDS = 100;

  private final Crowd run;
  private final Simulation simulation;
  private final BrokerLives broker;
  private final ModelClient publisher;
  private final List<ModelClient> leavers = new ArrayList<>();

  Partings(Crowd run, BrokerLives broker) {
    this.run = run;
    this.simulation = run.simulation();
    this.broker = broker;
    this.publisher = run.newClient(Character.passing("herald", 5, 100), List.of("e/0"), List.of());
    leavers.add(leaver(Character.forgetful("short", SHORT_SECONDS)));
    leavers.add(leaver(Character.forgetful("long", LONG_SECONDS)));
    leavers.add(leaver(Character.persistent("old", 4, 100)));
    leavers.add(leaver(Character.passing("soon5", 5, 100)));
    leavers.add(leaver(Character.passing("soon3", 4, 100)));
  }

  private ModelClient leaver(Character who) {
    ModelClient client = run.newClient(who, List.of(), List.of());
    client.setWillPercent(80);
    return client;
  }

  void happen() {
    run.ledger().note("partings");
    connect();
    for (ModelClient client : leavers) {
      client.goAway();
      simulation.run(simulation.between(0, 200));
      if (simulation.chance(10)) {
        broker.loseLeaders();
      } else if (simulation.chance(5)) {
        broker.crash();
        broker.ensureRunning();
      }
    }
    publish();
    List<ModelClient> back = leavers.stream().filter(client -> simulation.chance(50)).toList();
    leavers.stream().filter(client -> !back.contains(client)).forEach(ModelClient::expectNothing);
    boolean late = simulation.chance(70);
    if (late) {
      simulation.run(NOTICED_MILLIS);
      broker.setClock(SHORT_SECONDS * 1_000);
    } else {
      simulation.run(simulation.between(0, 3_000));
    }
    back.forEach(ModelClient::rest);
    run.await("clients are back", () -> Crowd.all(back, ModelClient::isAtRest));
    back.forEach(client -> requireSession(client, late));
    publish();
    run.await("they get what waited for them", () -> run.ledger().missing().isEmpty());
    waitForWills();
    back.forEach(client -> client.setWillPercent(0));
    endAll();
  }

  private void connect() {
    publisher.rest();
    leavers.forEach(ModelClient::rest);
    run.await("all are connected", () -> Crowd.all(leavers, ModelClient::isAtRest));
    run.await(
        "all are subscribed",
        () -> {
          leavers.forEach(client -> client.subscribeTo("e/#", 1));
          simulation.run(Crowd.QUIET_MILLIS);
          return Crowd.all(leavers, ModelClient::isSubscribed);
        });
  }

  private void publish() {
    run.await("the herald is there", publisher::isAtRest);
    publisher.publishTo(publisher.topics(), 1);
    run.await("the herald is heard", publisher::isAtRest);
  }

  private void requireSession(ModelClient client, boolean late) {
    long expiry = client.character().expirySeconds();
    boolean expected = client.character().isPersistent() && !(late && expiry == SHORT_SECONDS);
    boolean known = expiry != SHORT_SECONDS || late;
    if (known && client.wasSessionPresent() != expected) {
      throw run.ledger()
          .violated(
              client.clientId()
                  + " came back after "
                  + (late ? "a long" : "a short")
                  + " time: session present is "
                  + client.wasSessionPresent());
    }
  }

  /** Until each is published that can be, also if it has to be said again. */
  private void waitForWills() {
    simulation.run(NOTICED_MILLIS);
    broker.setClock(2 * LONG_SECONDS * 1_000);
    simulation.run(NOTICED_MILLIS);
  }

  /** Those who stayed away come back to say so. */
  private void endAll() {
    leavers.forEach(ModelClient::rest);
    List<ModelClient> all = new ArrayList<>(leavers);
    all.add(publisher);
    run.end(all);
  }
}
