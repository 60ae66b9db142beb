package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.scenario.ClientChurn;
import io.fjordmq.perf.scenario.ClientUsers;
import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Cluster;
import io.fjordmq.perf.scenario.Connections;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.Traffic;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Expected load if only some clients are connected; each sends 0.5 messages per second. */
class ConnectedClientsTest {
  private static Scenario scenario(Flow flow, Clients clients) {
    return new Scenario(
        "connected clients",
        flow,
        clients,
        new Traffic(0.5, 64, 1, 100),
        new Connections(Transport.TCP, 4, false, 0, 0, ClientChurn.NONE, ClientUsers.ANONYMOUS),
        new Cluster(1, 0, false, NodeLimits.NONE),
        1,
        "");
  }

  private static ConnectedClients connectedClients(
      Flow flow, Clients clients, Set<Integer> publishers, Set<Integer> places) {
    return ConnectedClients.of(scenario(flow, clients), publishers::contains, places::contains);
  }

  @Test
  void shouldMatchTheScenarioIfAllClientsAreConnected() {
    Map<Scenario, Double> deliveriesPerSecond =
        Map.of(
            scenario(Flow.PAIRS, new Clients(4, 4, 0, 0, 1)), 0.5 * (4 + 4),
            scenario(Flow.SHARED, new Clients(4, 2, 0, 0, 2)), 0.5 * (4 + 2 * 4),
            scenario(Flow.TOPICS, new Clients(5, 3, 7, 2, 1)), 0.5 * (3 * 2 + 2 * 1 + 5),
            scenario(Flow.MUTUAL, new Clients(4, 0, 0, 0, 1)), 0.5 * (4 + 4));
    deliveriesPerSecond.forEach(
        (whole, deliveries) -> {
          ConnectedClients connectedClients = ConnectedClients.all(whole);
          assertThat(connectedClients.publishesPerSecond()).isEqualTo(whole.publishesPerSecond());
          assertThat(connectedClients.deliveriesPerSecond()).isEqualTo(deliveries);
          assertThat(connectedClients.allConnected()).isTrue();
        });
  }

  @Test
  void shouldCountPairsWithBothClientsConnected() {
    ConnectedClients connectedClients =
        connectedClients(Flow.PAIRS, new Clients(4, 4, 0, 0, 0), Set.of(0, 1, 2), Set.of(1, 2, 3));
    assertThat(connectedClients.publishesPerSecond()).isEqualTo(1.5);
    assertThat(connectedClients.deliveriesPerSecond()).isEqualTo(1);
    assertThat(connectedClients.toString()).isEqualTo("3 of 4 publishers, 3 of 4 subscribers");
    assertThat(connectedClients.allConnected()).isFalse();
  }

  @Test
  void shouldCountConnectedPartners() {
    ConnectedClients connectedClients =
        connectedClients(Flow.MUTUAL, new Clients(4, 0, 0, 0, 0), Set.of(0, 1, 2), Set.of(0, 1, 2));
    assertThat(connectedClients.publishesPerSecond()).isEqualTo(1.5);
    assertThat(connectedClients.deliveriesPerSecond()).isEqualTo(1); // 2 has no receiver
  }

  @Test
  void shouldCountASharedSubscriptionAsLongAsItHasAMember() {
    Clients clients = new Clients(2, 3, 0, 0, 0);
    assertThat(
            connectedClients(Flow.SHARED, clients, Set.of(0, 1), Set.of(2)).deliveriesPerSecond())
        .isEqualTo(1);
    assertThat(connectedClients(Flow.SHARED, clients, Set.of(0, 1), Set.of()).deliveriesPerSecond())
        .isZero();
  }

  @Test
  void shouldCountTopicSubscribersAndCollectors() {
    // Topic 0: publishers 0, 2, subscribers 0, 2; topic 1: publishers 1, 3, subscriber 1; place 3
    ConnectedClients connectedClients =
        connectedClients(Flow.TOPICS, new Clients(4, 3, 0, 2, 1), Set.of(0, 1, 2), Set.of(1, 2, 3));
    assertThat(connectedClients.publishesPerSecond()).isEqualTo(1.5);
    assertThat(connectedClients.deliveriesPerSecond()).isEqualTo(0.5 * (2 + 1 + 3));
  }
}
