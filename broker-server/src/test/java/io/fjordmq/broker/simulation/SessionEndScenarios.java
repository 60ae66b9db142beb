package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends sessions in every possible way on a broker with responsive stores, so that the fate of each
 * will and the state of each resumed session are certain.
 */
final class SessionEndScenarios {
  /** By then the broker has noticed a lost client, whatever happened to the connection. */
  private static final long NOTICED_MILLIS = 12_000;

  private static final long SHORT_SECONDS = 4;
  private static final long LONG_SECONDS = 100;

  private final ModelClients run;
  private final Simulation simulation;
  private final RestartableBroker broker;
  private final ModelClient publisher;
  private final List<ModelClient> leavingClients = new ArrayList<>();

  SessionEndScenarios(ModelClients run, RestartableBroker broker) {
    this.run = run;
    this.simulation = run.simulation();
    this.broker = broker;
    this.publisher =
        run.newClient(
            ClientProfile.withTransientSession("herald", 5, 100), List.of("e/0"), List.of());
    leavingClients.add(newLeavingClient(ClientProfile.withShortExpiry("short", SHORT_SECONDS)));
    leavingClients.add(newLeavingClient(ClientProfile.withShortExpiry("long", LONG_SECONDS)));
    leavingClients.add(newLeavingClient(ClientProfile.persistent("old", 4, 100)));
    leavingClients.add(newLeavingClient(ClientProfile.withTransientSession("soon5", 5, 100)));
    leavingClients.add(newLeavingClient(ClientProfile.withTransientSession("soon3", 4, 100)));
  }

  private ModelClient newLeavingClient(ClientProfile who) {
    ModelClient client = run.newClient(who, List.of(), List.of());
    client.setWillPercent(80);
    return client;
  }

  void runScenarios() {
    run.ledger().note("ending all sessions");
    connect();
    for (ModelClient client : leavingClients) {
      client.disconnectPermanently();
      simulation.run(simulation.between(0, 200));
      if (simulation.chance(10)) {
        broker.loseLeaders();
      } else if (simulation.chance(5)) {
        broker.crash();
        broker.ensureRunning();
      }
    }
    publish();
    List<ModelClient> back =
        leavingClients.stream().filter(client -> simulation.chance(50)).toList();
    leavingClients.stream()
        .filter(client -> !back.contains(client))
        .forEach(ModelClient::expectNothing);
    boolean late = simulation.chance(70);
    if (late) {
      simulation.run(NOTICED_MILLIS);
      broker.setClock(SHORT_SECONDS * 1_000);
    } else {
      simulation.run(simulation.between(0, 3_000));
    }
    back.forEach(ModelClient::stopRandomActivity);
    run.await("clients are back", () -> ModelClients.allMatch(back, ModelClient::isIdle));
    back.forEach(client -> requireSession(client, late));
    publish();
    run.await("they get what waited for them", () -> run.ledger().missing().isEmpty());
    waitForWills();
    back.forEach(client -> client.setWillPercent(0));
    endAll();
  }

  private void connect() {
    publisher.stopRandomActivity();
    leavingClients.forEach(ModelClient::stopRandomActivity);
    run.await(
        "all are connected", () -> ModelClients.allMatch(leavingClients, ModelClient::isIdle));
    run.await(
        "all are subscribed",
        () -> {
          leavingClients.forEach(client -> client.subscribeTo("e/#", 1));
          simulation.run(ModelClients.QUIET_MILLIS);
          return ModelClients.allMatch(leavingClients, ModelClient::isSubscribed);
        });
  }

  private void publish() {
    run.await("the publisher is connected", publisher::isIdle);
    publisher.publishTo(publisher.topics(), 1);
    run.await("the publisher has received all acknowledgements", publisher::isIdle);
  }

  private void requireSession(ModelClient client, boolean late) {
    long expiry = client.profile().expirySeconds();
    boolean expected = client.profile().isPersistent() && !(late && expiry == SHORT_SECONDS);
    boolean known = expiry != SHORT_SECONDS || late;
    if (known && client.wasSessionPresent() != expected) {
      throw run.ledger()
          .violation(
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

  /** Disconnected clients return to verify their sessions. */
  private void endAll() {
    leavingClients.forEach(ModelClient::stopRandomActivity);
    List<ModelClient> all = new ArrayList<>(leavingClients);
    all.add(publisher);
    run.endSessions(all);
  }
}
