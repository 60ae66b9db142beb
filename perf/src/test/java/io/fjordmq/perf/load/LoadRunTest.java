package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.BrokerProcess;
import io.fjordmq.perf.broker.NodeConfig;
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
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Client churn against a real node; no shipped scenario has any within a few seconds. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadRunTest {
  private BrokerProcess broker;
  private int runs;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    Path checkout = Path.of("..").toAbsolutePath().normalize();
    broker =
        BrokerProcess.startFjordmq(
            "node", checkout, directory, new NodeConfig(), false, UnaryOperator.identity());
  }

  @AfterAll
  void stop() {
    broker.close();
  }

  private static Scenario churnScenario(Flow flow, int qos) {
    return new Scenario(
        "client churn",
        flow,
        new Clients(20, flow == Flow.PAIRS ? 20 : 0, 0, 0, flow == Flow.MUTUAL ? 1 : 0),
        new Traffic(20, 64, qos, 100),
        new Connections(
            Transport.TCP, 4, false, 0, 0, new ClientChurn(50, 1, 1), ClientUsers.ANONYMOUS),
        new Cluster(1, 0, false, NodeLimits.NONE),
        5,
        "");
  }

  @ParameterizedTest
  @CsvSource({"MUTUAL, 1", "PAIRS, 2", "PAIRS, 0"})
  void shouldLoseNothingDuringClientChurn(Flow flow, int qos) throws Exception {
    try (ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      RunResult result =
          new LoadRun(churnScenario(flow, qos), 1, 5, line -> {})
              .run("node", loops, new BrokerWatch(List.of(), List.of()), ++runs, false);
      assertThat(result.faults()).isEmpty();
      assertThat(result.figures().get(ResultMetric.DEPARTURES)).isGreaterThanOrEqualTo(10);
      assertThat(result.figures().get(ResultMetric.RECEIVED)).isPositive();
    }
  }
}
