package io.fjordmq.perf.tool;

import io.fjordmq.perf.benchmark.Benchmark;
import io.fjordmq.perf.benchmark.BenchmarkRun;
import io.fjordmq.perf.benchmark.Benchmarks;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.scenario.ScenarioFiles;
import io.fjordmq.perf.scenario.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Describes what a run will do. Created before any broker is started.
 *
 * @param name name of the scenario
 * @param summary one-line description
 * @param published results that others have published for the scenario; may be empty
 * @param flow message flow of a load scenario; empty for benchmarks
 * @param parameters parameters of a benchmark
 * @param facts facts for the report
 * @param notes how the run differs from what the scenario's name implies
 * @param work runs the measurements
 */
record Plan(
    String name,
    String summary,
    String published,
    String flow,
    int runs,
    int warmSeconds,
    int seconds,
    Map<String, String> parameters,
    Map<String, String> facts,
    List<String> notes,
    Benchmark.Body work) {
  /**
   * Creates the plan of a scenario or benchmark.
   *
   * @throws UsageException if the options do not apply to it, or this host cannot run it
   */
  static Plan of(String name, RunOptions options, ScenarioFiles files) {
    Optional<Benchmark> benchmark = Benchmarks.find(name);
    return benchmark.isPresent()
        ? of(benchmark.get(), options)
        : new LoadPlan(files.find(name), options).plan();
  }

  /**
   * Creates the run, which has not started any broker yet.
   *
   * @param work directory for the data and logs of brokers
   */
  BenchmarkRun benchmarkRun(
      RunOptions options, Path checkout, Path work, BrokerLauncher launcher, ScenarioFiles files) {
    BenchmarkRun.Settings settings =
        new BenchmarkRun.Settings(
            checkout,
            work,
            runs,
            seconds,
            warmSeconds,
            options.threads,
            options.brokers,
            parameters);
    return new BenchmarkRun(settings, launcher, files, System.out::println);
  }

  /**
   * Creates the plan of a benchmark.
   *
   * @throws UsageException if the options do not apply to it
   */
  private static Plan of(Benchmark benchmark, RunOptions options) {
    boolean comparison = options.brokers.size() != 1;
    if (!options.hosts().isEmpty() || !options.scale().isFull() || options.reuse) {
      throw new UsageException(
          benchmark.name() + " starts its own brokers; --hosts, --scale and --reuse do not apply");
    }
    if (!benchmark.comparesBrokers()
        && (comparison || options.brokers.contains(BrokerSpec.MOSQUITTO))) {
      throw new UsageException(benchmark.name() + " measures one version of FjordMQ");
    }
    Map<String, String> parameters = benchmark.parametersWith(options.parameters);
    Map<String, String> facts = new TreeMap<>();
    parameters.forEach((key, value) -> facts.put("parameter " + key, value));
    return new Plan(
        benchmark.name(),
        benchmark.summary(),
        "",
        "",
        options.runs(benchmark.runs()),
        options.warmSeconds(benchmark.warmSeconds()),
        options.seconds(benchmark.seconds()),
        parameters,
        facts,
        List.of(),
        benchmark.body());
  }
}
