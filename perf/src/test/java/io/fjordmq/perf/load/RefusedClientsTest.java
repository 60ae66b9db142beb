package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.FaultyBroker;
import io.fjordmq.perf.FaultyBroker.ClientHandling;
import io.fjordmq.perf.machine.BrokerWatch;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Connected clients produce the load; each other client counts once, under its cause. */
@Execution(ExecutionMode.CONCURRENT) // every run waits for seconds to pass
class RefusedClientsTest {
  private static final int SECONDS = 1;

  private static Scenario scenario(Flow flow, Clients clients, ClientChurn clientChurn) {
    return new Scenario(
        "refused clients",
        flow,
        clients,
        new Traffic(40, 64, 1, 100),
        new Connections(Transport.TCP, 4, false, 0, 0, clientChurn, ClientUsers.ANONYMOUS),
        new Cluster(1, 0, true, NodeLimits.NONE),
        SECONDS,
        "");
  }

  private static Scenario threePairs() {
    return scenario(Flow.PAIRS, new Clients(3, 3, 0, 0, 0), ClientChurn.NONE);
  }

  private static RunResult run(
      Scenario scenario, int seconds, Function<String, ClientHandling> handlings) throws Exception {
    try (FaultyBroker broker = new FaultyBroker(handlings);
        ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      return new LoadRun(scenario, 0, seconds, line -> {})
          .run("faulty", loops, new BrokerWatch(List.of(), List.of()), 1, false);
    }
  }

  private static RunResult run(Scenario scenario, Map<String, ClientHandling> handlings)
      throws Exception {
    return run(scenario, SECONDS, client -> handlings.getOrDefault(client, ClientHandling.SERVE));
  }

  private static double figure(RunResult result, ResultMetric figure) {
    return result.figures().getOrDefault(figure, -1.0);
  }

  /** The number of connected clients is never negative and ends at the given number. */
  private static void assertConnected(RunResult result, double atEnd) {
    List<Double> clients =
        result.samples().stream()
            .map(sample -> sample.value(Series.CONNECTED).orElseThrow())
            .toList();
    assertThat(clients).allMatch(count -> count >= 0).last().isEqualTo(atEnd);
  }

  @Test
  void shouldReportNoFaultsIfAllAreServed() throws Exception {
    RunResult result = run(threePairs(), Map.of());
    assertThat(result.faults()).isEmpty();
    assertThat(figure(result, ResultMetric.RECEIVED)).isPositive();
    assertConnected(result, 6);
  }

  @Test
  void shouldStartWithTheConnectedClients() throws Exception {
    RunResult result =
        run(
            threePairs(),
            Map.of(
                "s1",
                ClientHandling.REFUSE,
                "p1",
                ClientHandling.REFUSE,
                "p2",
                ClientHandling.REFUSE));
    assertThat(figure(result, ResultMetric.RECEIVED)).isPositive();
    assertThat(figure(result, ResultMetric.OFFERED)).isEqualTo(40);
    assertThat(figure(result, ResultMetric.CONNECTED)).isEqualTo(3);
    assertThat(figure(result, ResultMetric.LOST)).isZero();
    assertThat(figure(result, ResultMetric.HELD_BACK))
        .as("by one, if it was slow")
        .isBetween(0.0, 40.0);
    assertThat(result.faults())
        .hasSize(2)
        .first()
        .isEqualTo("3 clients could not connect or subscribe");
    assertThat(result.faults())
        .last()
        .asString()
        .startsWith("  3 × CONNACK 0x03 (")
        .contains("s1", "p1", "p2");
    assertThat(result.remarks())
        .contains("only connected clients produced load: 1 of 3 publishers, 2 of 3 subscribers");
  }

  @Test
  void shouldCountClientsThatCannotSubscribeAsRefused() throws Exception {
    RunResult result =
        run(
            threePairs(),
            Map.of(
                "s0",
                ClientHandling.CLOSE_ON_SUBSCRIBE,
                "s1",
                ClientHandling.CLOSE_ON_SUBSCRIBE,
                "s2",
                ClientHandling.CLOSE_ON_SUBSCRIBE));
    assertConnected(result, 3);
    assertThat(figure(result, ResultMetric.REFUSED)).isEqualTo(3);
    assertThat(figure(result, ResultMetric.DISCONNECTED)).isZero();
    assertThat(figure(result, ResultMetric.SENT)).isPositive();
    assertThat(figure(result, ResultMetric.LOST)).isZero();
  }

  @Test
  void shouldNeverReportNegativeConnectionCounts() throws Exception {
    RunResult result =
        run(
            threePairs(),
            SECONDS,
            client ->
                client.startsWith("s") ? ClientHandling.CLOSE_ON_SUBSCRIBE : ClientHandling.REFUSE);
    assertConnected(result, 0);
    assertThat(figure(result, ResultMetric.REFUSED)).isEqualTo(6);
    assertThat(result.faults()).last().isEqualTo("there was no load");
  }

  @Test
  void shouldDisconnectClientsWhoseSubscriptionIsRefused() throws Exception {
    RunResult result = run(threePairs(), Map.of("s1", ClientHandling.REFUSE_SUBSCRIBE));
    assertThat(figure(result, ResultMetric.CONNECTED)).isEqualTo(5);
    assertConnected(result, 5);
    assertThat(figure(result, ResultMetric.LOST)).isZero();
    assertThat(figure(result, ResultMetric.DISCONNECTED)).isZero();
    assertThat(result.faults()).contains("  1 × SUBACK 0x80 (s1)");
  }

  @Test
  void shouldNotMistakeOneSubscribersDuplicateForAnothersMessage() throws Exception {
    RunResult result =
        run(
            scenario(Flow.TOPICS, new Clients(1, 3, 0, 1, 0), ClientChurn.NONE),
            Map.of("s0", ClientHandling.DUPLICATE, "s1", ClientHandling.DELIVER_NOTHING));
    double lost = figure(result, ResultMetric.LOST);
    assertThat(lost).isPositive();
    assertThat(figure(result, ResultMetric.DUPLICATED)).as("each message").isEqualTo(lost);
    assertThat(figure(result, ResultMetric.OUT_OF_ORDER)).isZero();
    assertThat(figure(result, ResultMetric.LAST_MS)).isPositive();
  }

  @Test
  void shouldDetectReorderedMessages() throws Exception {
    RunResult result = run(threePairs(), Map.of("s1", ClientHandling.REORDER));
    assertThat(figure(result, ResultMetric.OUT_OF_ORDER)).isEqualTo(1);
    assertThat(figure(result, ResultMetric.LOST)).isZero();
    assertThat(figure(result, ResultMetric.DUPLICATED)).isZero();
    assertThat(figure(result, ResultMetric.STRANGE)).isZero();
  }

  @Test
  void shouldExpectNothingFromASharedSubscriptionWithoutMembers() throws Exception {
    Scenario shared = scenario(Flow.SHARED, new Clients(2, 2, 0, 0, 0), ClientChurn.NONE);
    RunResult result =
        run(
            shared,
            Map.of("s0", ClientHandling.REFUSE_SUBSCRIBE, "s1", ClientHandling.REFUSE_SUBSCRIBE));
    assertThat(figure(result, ResultMetric.SENT)).isPositive();
    assertThat(figure(result, ResultMetric.LOST)).isZero();
  }

  @Test
  @Tag("slow")
  void shouldCountAClientThatCannotReconnectOnce() throws Exception {
    Map<String, AtomicInteger> connectCounts = new ConcurrentHashMap<>();
    Scenario churning =
        scenario(Flow.PAIRS, new Clients(1, 1, 0, 0, 0), new ClientChurn(100, 1, 1));
    RunResult result =
        run(
            churning,
            4,
            client -> {
              int earlierConnects =
                  connectCounts.computeIfAbsent(client, none -> new AtomicInteger()).getAndAdd(1);
              return client.equals("s0") && earlierConnects > 0
                  ? ClientHandling.CLOSE_ON_SUBSCRIBE
                  : ClientHandling.SERVE;
            });
    assertThat(figure(result, ResultMetric.DISCONNECTED)).isEqualTo(1);
    assertConnected(result, 1); // its publisher has reconnected and does not leave again
  }
}
