package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.Scenario;
import java.nio.file.Path;
import java.util.Map;

/**
 * Compares the first seconds of load on a newly started broker with the same load after a warm-up.
 */
final class ColdStartBenchmark {
  private ColdStartBenchmark() {}

  static void run(BenchmarkRun run) throws Exception {
    Scenario load = run.scenario(run.parameter("load"));
    int seconds = run.settings().seconds();
    for (int i = 0; i < run.settings().runs(); i++) {
      for (String program : run.settings().brokers()) {
        String name = Path.of(program).getFileName().toString();
        try (RunningBroker broker = run.start(new BrokerSpec(name, program, load, ""))) {
          RunResult cold = run.load(broker, name, load, 0, seconds);
          RunResult warm = run.load(broker, name, load, run.settings().warmSeconds(), seconds);
          double ratio =
              cold.figure(ResultMetric.CPU_MICROS) / warm.figure(ResultMetric.CPU_MICROS);
          run.add(
              cold.with(broker.startFigures())
                  .with(Map.of(ResultMetric.COLD_RATIO, ratio))
                  .with(warm.faults(), warm.remarks()));
        }
      }
    }
  }
}
