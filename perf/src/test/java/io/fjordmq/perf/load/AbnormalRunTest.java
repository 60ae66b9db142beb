package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a run reports and cleans up if it does not end normally. */
@Execution(ExecutionMode.CONCURRENT) // every run waits for seconds to pass
class AbnormalRunTest {
  private static final Pattern SOME_SENT = Pattern.compile("count .* sent [1-9]");

  private static Scenario threePairs(boolean persistent) {
    return new Scenario(
        "three pairs",
        Flow.PAIRS,
        new Clients(3, 3, 0, 0, 0),
        new Traffic(40, 64, 1, 100),
        new Connections(
            Transport.TCP, 4, persistent, 0, 0, ClientChurn.NONE, ClientUsers.ANONYMOUS),
        new Cluster(1, 0, true, NodeLimits.NONE),
        3,
        "");
  }

  private static FaultyBroker broker(Map<String, ClientHandling> handlings) throws IOException {
    return new FaultyBroker(client -> handlings.getOrDefault(client, ClientHandling.SERVE));
  }

  private static RunResult run(
      FaultyBroker broker,
      boolean persistent,
      int seconds,
      List<Long> pids,
      Consumer<String> progress)
      throws Exception {
    try (ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      return new LoadRun(threePairs(persistent), 0, seconds, progress::accept)
          .run("faulty", loops, new BrokerWatch(pids, List.of()), 1, true);
    }
  }

  @Test
  void shouldCountDeliveriesAfterTheMeasuredTime() throws Exception {
    try (FaultyBroker broker =
        broker(Map.of("s0", ClientHandling.DELAY, "s1", ClientHandling.DELAY))) {
      RunResult result = run(broker, false, 1, List.of(), line -> {});
      assertThat(result.faults()).isEmpty();
      assertThat(result.figures().get(ResultMetric.P99_MS))
          .isGreaterThanOrEqualTo(0.99 * FaultyBroker.DELAY_MILLIS);
    }
  }

  @Test
  void shouldReportResultsUntilTheBrokerExited() throws Exception {
    Process process = new ProcessBuilder("sleep", "600").start();
    try (FaultyBroker broker = broker(Map.of("s0", ClientHandling.DELIVER_NOTHING))) {
      RunResult result =
          run(
              broker,
              false,
              60,
              List.of(process.pid()),
              line -> {
                if (SOME_SENT.matcher(line).find()) {
                  kill(process);
                }
              });
      assertThat(result.faults())
          .anyMatch(fault -> fault.startsWith("the broker exited"))
          .anyMatch(fault -> fault.contains("messages were lost"))
          .doesNotContain("there was no load");
      assertThat(result.figures().get(ResultMetric.SENT)).isPositive();
      assertThat(result.remarks())
          .anyMatch(remark -> remark.matches("measured for \\d+ s, until the run was aborted"));
    } finally {
      process.destroyForcibly();
    }
  }

  private static void kill(Process process) {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldRemoveItsSessionsFromTheBrokerEvenIfItFails() throws Exception {
    try (FaultyBroker broker = broker(Map.of())) {
      Consumer<String> failing =
          line -> {
            if (line.contains("count")) {
              assertThat(broker.persistentClientIds()).hasSize(6);
              throw new IllegalStateException("planted");
            }
          };
      assertThatThrownBy(() -> run(broker, true, 3, List.of(), failing)).hasMessage("planted");
      assertThat(broker.persistentClientIds()).isEmpty();
      run(broker, true, 1, List.of(), line -> {});
      assertThat(broker.persistentClientIds()).isEmpty();
    }
  }

  @Test
  void shouldReportSessionsThatItCouldNotRemove() throws Exception {
    Set<String> connectedBefore = ConcurrentHashMap.newKeySet();
    try (FaultyBroker broker =
        new FaultyBroker(
            client ->
                !connectedBefore.add(client) && client.equals("s1")
                    ? ClientHandling.REFUSE
                    : ClientHandling.SERVE)) {
      RunResult result = run(broker, true, 1, List.of(), line -> {});
      assertThat(result.remarks())
          .anyMatch(remark -> remark.startsWith("1 of 6 persistent sessions of this run may still"))
          .contains("  1 × CONNACK 0x03 (s1)");
    }
  }
}
