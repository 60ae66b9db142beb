package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.Scenario;
import java.util.List;

/**
 * Measures how long other clients wait while one client keeps its event loop busy with {@link
 * CostlyTopics}: PUBACK and CONNACK latency with and without that client, alternating. There are so
 * many other clients that every event loop of the broker serves some of them.
 */
final class FairnessBenchmark {
  private static final String OTHER_CLIENTS = "true_8_8_qos1_p32_50mps_1n";
  private static final int NEW_CLIENTS_PER_SECOND = 40;

  /** Disables the rate limit, which would slow the busy client down. */
  private static final String UNLIMITED = "sessionConfig: {readBytesPerSecond: 0}";

  private FairnessBenchmark() {}

  static void run(BenchmarkRun run) throws Exception {
    for (boolean limited : List.of(true, false)) {
      String name = limited ? "default rate" : "unlimited rate";
      try (RunningBroker broker = run.startNode(name, limited ? "" : UNLIMITED)) {
        int warmSeconds = run.settings().warmSeconds();
        if (warmSeconds > 0) {
          measure(run, broker, "warm-up", false, warmSeconds);
          measure(run, broker, "warm-up", true, warmSeconds);
        }
        for (int i = 0; i < run.settings().runs(); i++) {
          int seconds = run.settings().seconds();
          run.add(measure(run, broker, name + ", alone", false, seconds));
          run.add(measure(run, broker, name + ", busy client", true, seconds));
        }
      }
    }
  }

  private static RunResult measure(
      BenchmarkRun run, RunningBroker broker, String column, boolean busy, int seconds)
      throws Exception {
    Scenario scenario = run.scenario(OTHER_CLIENTS);
    Measurement measurement = new Measurement();
    try (ClientLoops loops = broker.loops(1);
        ClientLoops busyLoops = broker.loops(1);
        NewClients newClients = new NewClients(loops, NEW_CLIENTS_PER_SECOND)) {
      RunResult result;
      if (busy) {
        try (CostlyTopics costly = new CostlyTopics(busyLoops)) {
          long start = System.nanoTime();
          costly.start();
          result = run.load(broker, loops, column, scenario, 0, seconds);
          double elapsed = (System.nanoTime() - start) / 1e9;
          measurement.put(ResultMetric.BUSY_CLIENT, costly.handled() / elapsed);
        }
      } else {
        result = run.load(broker, loops, column, scenario, 0, seconds);
      }
      return measurement
          .connects(newClients.connecting())
          .addTo(result)
          .with(List.of(), TlsStormBenchmark.remarks(newClients));
    }
  }
}
