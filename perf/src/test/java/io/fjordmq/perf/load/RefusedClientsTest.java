package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.MoodyBroker;
import io.fjordmq.perf.MoodyBroker.Mood;
import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.scenario.ClientChurn;
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

/** The load comes from those who are in, and whoever is not counts once and as what it is. */
@Execution(ExecutionMode.CONCURRENT) // every run waits for seconds to pass
class RefusedClientsTest {
  private static final int SECONDS = 1;

  private static Scenario scenario(Flow flow, Clients clients, ClientChurn clientChurn) {
    return new Scenario(
        "some are refused",
        flow,
        clients,
        new Traffic(40, 64, 1, 100),
        new Connections(Transport.TCP, 4, false, 0, 0, clientChurn, false),
        new Cluster(1, 0, true, NodeLimits.NONE),
        SECONDS,
        "");
  }

  private static Scenario threePairs() {
    return scenario(Flow.PAIRS, new Clients(3, 3, 0, 0, 0), ClientChurn.NONE);
  }

  private static RunResult run(Scenario scenario, int seconds, Function<String, Mood> moods)
      throws Exception {
    try (MoodyBroker broker = new MoodyBroker(moods);
        ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      return new LoadRun(scenario, 0, seconds, line -> {})
          .run("moody", loops, new BrokerWatch(List.of(), List.of()), 1, false);
    }
  }

  private static RunResult run(Scenario scenario, Map<String, Mood> moods) throws Exception {
    return run(scenario, SECONDS, client -> moods.getOrDefault(client, Mood.SERVE));
  }

  private static double figure(RunResult result, ResultMetric figure) {
    return result.figures().getOrDefault(figure, -1.0);
  }

  /** While they come there are less than in the end, but never less than none. */
  private static void assertConnected(RunResult result, double inTheEnd) {
    List<Double> clients =
        result.samples().stream()
            .map(sample -> sample.value(Series.CONNECTED).orElseThrow())
            .toList();
    assertThat(clients).allMatch(some -> some >= 0).last().isEqualTo(inTheEnd);
  }

  @Test
  void shouldFindNothingWrongIfAllAreServed() throws Exception {
    RunResult result = run(threePairs(), Map.of());
    assertThat(result.faults()).isEmpty();
    assertThat(figure(result, ResultMetric.RECEIVED)).isPositive();
    assertConnected(result, 6);
  }

  @Test
  void shouldBeginWithThoseWhoAreIn() throws Exception {
    RunResult result =
        run(threePairs(), Map.of("s1", Mood.REFUSE, "p1", Mood.REFUSE, "p2", Mood.REFUSE));
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
  void shouldNotCountAsDisconnectedWhoWasNeverIn() throws Exception {
    RunResult result =
        run(threePairs(), Map.of("s0", Mood.HANG_UP, "s1", Mood.HANG_UP, "s2", Mood.HANG_UP));
    assertConnected(result, 3);
    assertThat(figure(result, ResultMetric.REFUSED)).isEqualTo(3);
    assertThat(figure(result, ResultMetric.DISCONNECTED)).isZero();
    assertThat(figure(result, ResultMetric.SENT)).isPositive();
    assertThat(figure(result, ResultMetric.LOST)).isZero();
  }

  @Test
  void shouldHaveNoFewerThanNobody() throws Exception {
    RunResult result =
        run(threePairs(), SECONDS, client -> client.startsWith("s") ? Mood.HANG_UP : Mood.REFUSE);
    assertConnected(result, 0);
    assertThat(figure(result, ResultMetric.REFUSED)).isEqualTo(6);
    assertThat(result.faults()).last().isEqualTo("there was no load");
  }

  @Test
  void shouldSendAwayWhoMayNotSubscribe() throws Exception {
    RunResult result = run(threePairs(), Map.of("s1", Mood.DENY));
    assertThat(figure(result, ResultMetric.CONNECTED)).isEqualTo(5);
    assertConnected(result, 5);
    assertThat(figure(result, ResultMetric.LOST)).isZero();
    assertThat(figure(result, ResultMetric.DISCONNECTED)).isZero();
    assertThat(result.faults()).contains("  1 × SUBACK 0x80 (s1)");
  }

  @Test
  void shouldNotTakeADuplicateOfOneSubscriberForTheMessageOfAnother() throws Exception {
    RunResult result =
        run(
            scenario(Flow.TOPICS, new Clients(1, 3, 0, 1, 0), ClientChurn.NONE),
            Map.of("s0", Mood.REPEAT, "s1", Mood.STARVE));
    double lost = figure(result, ResultMetric.LOST);
    assertThat(lost).isPositive();
    assertThat(figure(result, ResultMetric.DUPLICATED)).as("each message").isEqualTo(lost);
    assertThat(figure(result, ResultMetric.OUT_OF_ORDER)).isZero();
    assertThat(figure(result, ResultMetric.LAST_MS)).isPositive();
  }

  @Test
  void shouldFindWhatCameOutOfOrder() throws Exception {
    RunResult result = run(threePairs(), Map.of("s1", Mood.SWAP));
    assertThat(figure(result, ResultMetric.OUT_OF_ORDER)).isEqualTo(1);
    assertThat(figure(result, ResultMetric.LOST)).isZero();
    assertThat(figure(result, ResultMetric.DUPLICATED)).isZero();
    assertThat(figure(result, ResultMetric.STRANGE)).isZero();
  }

  @Test
  void shouldMissNothingOfASharedSubscriptionWithoutMembers() throws Exception {
    Scenario shared = scenario(Flow.SHARED, new Clients(2, 2, 0, 0, 0), ClientChurn.NONE);
    RunResult result = run(shared, Map.of("s0", Mood.DENY, "s1", Mood.DENY));
    assertThat(figure(result, ResultMetric.SENT)).isPositive();
    assertThat(figure(result, ResultMetric.LOST)).isZero();
  }

  @Test
  @Tag("slow")
  void shouldCountOnceWhoCannotComeBack() throws Exception {
    Map<String, AtomicInteger> times = new ConcurrentHashMap<>();
    Scenario leaving = scenario(Flow.PAIRS, new Clients(1, 1, 0, 0, 0), new ClientChurn(100, 1, 1));
    RunResult result =
        run(
            leaving,
            4,
            client -> {
              int time = times.computeIfAbsent(client, none -> new AtomicInteger()).getAndAdd(1);
              return client.equals("s0") && time > 0 ? Mood.HANG_UP : Mood.SERVE;
            });
    assertThat(figure(result, ResultMetric.DISCONNECTED)).isEqualTo(1);
    assertConnected(result, 1); // its publisher has come back, and need not leave any more
  }
}
