package io.fjordmq.perf.tool;

import io.fjordmq.perf.benchmark.BenchmarkRun;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.broker.BrokerProcess;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a load scenario against each broker in turn: new brokers for each run, or the same ones for
 * all runs after up to a minute of load.
 *
 * @param scenario the scenario after scaling
 */
record LoadRounds(RunOptions options, Scenario scenario) {
  private static final int MAX_REUSE_WARM_SECONDS = 60;

  /**
   * Ratio of the load before the first run to the warm-up of each run: a short warm-up indicates a
   * trial, which does not need a whole minute either.
   */
  private static final int REUSE_WARM_RATIO = 12;

  private static final String EXISTING = "given";

  void run(BenchmarkRun run) throws Exception {
    Map<String, RunningBroker> reused = new LinkedHashMap<>();
    if (options.reuse) {
      for (String name : options.brokers) {
        reused.put(name, start(run, name));
      }
      int seconds =
          Math.min(MAX_REUSE_WARM_SECONDS, REUSE_WARM_RATIO * run.settings().warmSeconds());
      run.warmUp(List.copyOf(reused.values()), seconds);
    }
    List<String> names = options.hosts().isEmpty() ? options.brokers : List.of(EXISTING);
    for (int round = 0; round < run.settings().runs(); round++) {
      for (String name : names) {
        try {
          RunningBroker broker = reused.get(name);
          run.add(broker == null ? runOnce(run, name) : load(run, broker));
        } catch (IOException | RuntimeException e) {
          throw new IOException(
              "run %d of %d of %s failed: %s"
                  .formatted(round + 1, run.settings().runs(), name, message(e)),
              e);
        }
      }
    }
  }

  private static String message(Exception e) {
    String message = e.getMessage();
    return message == null ? e.toString() : message;
  }

  private RunningBroker start(BenchmarkRun run, String name) throws Exception {
    if (options.hosts().isEmpty()) {
      String label = Path.of(name).getFileName().toString();
      return run.start(new BrokerSpec(label, name, scenario, ""));
    }
    run.progress("using the external broker");
    Transport transport = scenario.connections().transport();
    RunningBroker broker =
        BrokerLauncher.existing(
            options.hosts(), options.pids, transport, options.clientCertificate, options.clientKey);
    run.recordPrograms(broker);
    return broker;
  }

  private RunResult runOnce(BenchmarkRun run, String name) throws Exception {
    try (RunningBroker broker = start(run, name)) {
      return load(run, broker);
    }
  }

  private RunResult load(BenchmarkRun run, RunningBroker broker) throws Exception {
    BenchmarkRun.Settings settings = run.settings();
    RunResult result =
        run.load(
            options.reuse ? broker.reused() : broker,
            broker.name(),
            scenario,
            settings.warmSeconds(),
            settings.seconds());
    List<BrokerProcess> nodes = new ArrayList<>(broker.processes());
    return nodes.isEmpty()
        ? result
        : result.with(
            Map.of(
                ResultMetric.START_SECONDS,
                nodes.get(0).startSeconds(),
                ResultMetric.START_MB,
                nodes.get(0).idleKilobytes() / 1024.0));
  }
}
