package io.fjordmq.perf.tool;

import io.fjordmq.perf.benchmark.Benchmark;
import io.fjordmq.perf.benchmark.BenchmarkRun;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a load scenario against each broker in turn: with new brokers for each run or, with {@code
 * --reuse}, with the same brokers for all runs, which are first warmed up for at most a minute.
 *
 * @param scenario the scenario after scaling
 */
record LoadRounds(RunOptions options, Scenario scenario) implements Benchmark.Body {
  private static final int MAX_REUSE_WARM_SECONDS = 60;

  /**
   * Ratio of the warm-up of reused brokers to the warm-up of each run. If the user requests a short
   * warm-up, that of reused brokers is shorter as well.
   */
  private static final int REUSE_WARM_RATIO = 12;

  private static final String EXISTING = "given";

  /**
   * Returns what this scenario requires of its brokers. Scenarios with equal requirements can share
   * brokers.
   */
  List<Object> requirements() {
    return List.of(
        scenario.cluster(),
        scenario.connections().transport(),
        scenario.connections().users(),
        BrokerLauncher.needsRaisedRateLimits(scenario));
  }

  @Override
  public void run(BenchmarkRun run) throws Exception {
    run(run, new LinkedHashMap<>(), 0);
  }

  /**
   * Runs the rounds with brokers that may be shared with other scenarios. Blocks.
   *
   * @param shared brokers by program, if brokers are reused; missing brokers are started, warmed up
   *     and added
   * @param unmeasured number of rounds whose results are discarded before the first round that
   *     counts; if above 0, started brokers are also warmed up with this scenario
   */
  void run(BenchmarkRun run, Map<String, RunningBroker> shared, int unmeasured) throws Exception {
    if (options.reuse) {
      List<RunningBroker> started = new ArrayList<>();
      for (String name : options.brokers) {
        if (!shared.containsKey(name)) {
          shared.put(name, start(run, name));
          started.add(shared.get(name));
        }
      }
      int seconds =
          Math.min(MAX_REUSE_WARM_SECONDS, REUSE_WARM_RATIO * run.settings().warmSeconds());
      if (unmeasured > 0 && scenario.flow() != Flow.CONNECTIONS) {
        run.warmUp(started, scenario, seconds);
      } else {
        run.warmUp(started, seconds);
      }
    }
    List<String> names = options.hosts().isEmpty() ? options.brokers : List.of(EXISTING);
    for (int round = -unmeasured; round < run.settings().runs(); round++) {
      for (String name : names) {
        try {
          RunningBroker broker = shared.get(name);
          RunResult result = broker == null ? runOnce(run, name) : load(run, broker);
          if (round >= 0) {
            run.add(result);
          }
        } catch (IOException | RuntimeException e) {
          throw new IOException(
              "run %d of %d of %s failed: %s"
                  .formatted(round + 1, run.settings().runs(), name, message(e)),
              e);
        }
      }
    }
  }

  static String message(Exception e) {
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
    return result.with(broker.startFigures());
  }
}
