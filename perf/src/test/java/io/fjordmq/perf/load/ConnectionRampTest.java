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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Clients that connect at a fixed rate, also to a broker that accepts them more slowly. */
class ConnectionRampTest {
  private static final long PAUSE_NANOS = 100_000_000;

  private static RunResult run(
      int clients, double perSecond, Function<String, ClientHandling> handlings) throws Exception {
    Scenario scenario =
        new Scenario(
            "ramp",
            Flow.CONNECTIONS,
            new Clients(0, 0, clients, 0, 0),
            new Traffic(0, 0, 0, 100),
            new Connections(
                Transport.TCP, 4, false, perSecond, 0, ClientChurn.NONE, ClientUsers.ANONYMOUS),
            new Cluster(1, 0, false, NodeLimits.NONE),
            1,
            "");
    BrokerWatch watch = new BrokerWatch(List.of(ProcessHandle.current().pid()), List.of());
    try (FaultyBroker broker = new FaultyBroker(handlings);
        ClientLoops loops = new ClientLoops(broker.address(), 2)) {
      return new LoadRun(scenario, 0, 1, line -> {}).run("faulty", loops, watch, 1, false);
    }
  }

  /** Accepts one client at a time, 100 ms each: 10 per second instead of 1,000. */
  private static synchronized ClientHandling acceptSlowly(String client) {
    long end = System.nanoTime() + PAUSE_NANOS;
    while (end - System.nanoTime() > 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
    return ClientHandling.SERVE;
  }

  @Test
  void shouldReportThatClientsConnectedBehindSchedule() throws Exception {
    RunResult result = run(20, 1_000, ConnectionRampTest::acceptSlowly);
    assertThat(result.faults()).isEmpty();
    assertThat(result.figures().get(ResultMetric.CONNECTED)).isEqualTo(20);
    assertThat(result.remarks())
        .anyMatch(
            line -> line.matches("behind schedule: \\d+ of 1000 connections per second were .*"));
  }

  @Test
  void shouldNotReportASingleSlowConnection() throws Exception {
    RunResult result = run(1, 0.1, ConnectionRampTest::acceptSlowly);
    assertThat(result.remarks()).noneMatch(line -> line.contains("behind schedule"));
  }

  @Test
  void shouldReportCpuOfConnectingAndHoldingSeparately() throws Exception {
    assertThat(run(20, 1_000, client -> ClientHandling.SERVE).figures())
        .containsKeys(
            ResultMetric.CONNECT_CPU_PERCENT,
            ResultMetric.CONNECT_CPU_MICROS,
            ResultMetric.HOLD_CPU_PERCENT)
        .doesNotContainKey(ResultMetric.CPU_PERCENT);
  }
}
