package io.fjordmq.perf.tool;

import io.fjordmq.perf.benchmark.BenchmarkRun;
import io.fjordmq.perf.benchmark.Benchmarks;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.machine.HostInfo;
import io.fjordmq.perf.machine.RunDirectory;
import io.fjordmq.perf.report.TargetResult;
import io.fjordmq.perf.report.TargetRow;
import io.fjordmq.perf.report.TargetTable;
import io.fjordmq.perf.scenario.ScenarioFiles;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code bin/perf.sh targets}: measures rows of {@code perf/targets.yml} and prints which targets
 * are met. Each row is measured as by {@code bin/perf.sh run} with the same options, except that
 * successive rows with the same requirements share brokers. A row that fails does not stop the
 * others.
 */
@Command(name = "targets")
final class TargetsCommand implements Callable<Integer> {
  private static final int RUNS = 3;

  /** Duration of the measured period of load scenarios; benchmarks have their own defaults. */
  private static final int LOAD_SECONDS = 8;

  private static final int LOAD_WARM_SECONDS = 5;

  private static final int BENCHMARK_DEFAULT = -1;

  /** Rounds before the first that counts, which warm up the code that the row uses. */
  private static final int UNMEASURED_ROUNDS = 1;

  private final Path checkout;
  private final Path workingDirectory;
  private final List<String> words;
  private final Map<String, RunningBroker> shared = new HashMap<>();

  /** What the shared brokers were started for. */
  private List<Object> requirements = List.of();

  @Parameters(paramLabel = "ROW")
  private List<String> selected = new ArrayList<>();

  @Mixin private RunOptions options = new RunOptions();

  /**
   * @param words arguments as given by the user
   */
  TargetsCommand(Path checkout, Path workingDirectory, List<String> words) {
    this.checkout = checkout;
    this.workingDirectory = workingDirectory;
    this.words = words;
  }

  static Path file(Path checkout) {
    return checkout.resolve("perf/targets.yml");
  }

  @Override
  public Integer call() throws Exception {
    options.resolve(workingDirectory);
    if (!options.hosts().isEmpty() || !options.scale().isFull() || !options.parameters.isEmpty()) {
      throw new UsageException("targets starts its own brokers; see --help for its options");
    }
    Map<String, TargetRow> rows = selectedRows();
    ReportDirectory directory = new ReportDirectory(options.out);
    directory.requireWritable();
    String startedAt = ReportDirectory.now();
    Map<String, String> facts = RunCommand.commits("commit", checkout, options.brokers);
    facts.putAll(RunCommand.settings());
    facts.putAll(HostInfo.all());
    RunDirectory work = RunDirectory.make();
    BrokerLauncher launcher = new BrokerLauncher(checkout);
    List<TargetResult> results = new ArrayList<>();
    RunCommand.measure(
        () -> {
          for (Map.Entry<String, TargetRow> row : rows.entrySet()) {
            results.add(measure(row.getKey(), row.getValue(), work.path(), launcher, facts));
          }
        },
        List.of(),
        launcher,
        work);
    TargetTable table = new TargetTable(RunCommand.command(words), startedAt, facts, results);
    System.out.println("\n" + table.markdown());
    directory.write(table);
    String incomplete = table.isComplete() ? null : "some rows could not be measured";
    return RunCommand.finish(table.hasNoFaults(), work, incomplete);
  }

  /** Returns all rows, or those whose names begin with one of the arguments. */
  private Map<String, TargetRow> selectedRows() throws IOException {
    Map<String, TargetRow> rows = TargetRow.read(file(checkout));
    List<String> names = List.copyOf(rows.keySet());
    for (String begin : selected) {
      if (names.stream().noneMatch(name -> name.startsWith(begin))) {
        throw new UsageException(
            "no row begins with '" + begin + "'; the rows are " + String.join(", ", names));
      }
    }
    rows.keySet()
        .removeIf(name -> !selected.isEmpty() && selected.stream().noneMatch(name::startsWith));
    return rows;
  }

  private TargetResult measure(
      String name, TargetRow row, Path work, BrokerLauncher launcher, Map<String, String> facts)
      throws Exception {
    System.out.println("\n" + name + ": " + row.work());
    List<String> line = runWords(row);
    List<RunResult> runs = List.of();
    String failure = null;
    try {
      RunOptions rowOptions = new RunOptions();
      new CommandLine(rowOptions).parseArgs(line.toArray(String[]::new));
      rowOptions.resolve(workingDirectory);
      ScenarioFiles files = new ScenarioFiles(checkout.resolve("perf/scenarios"));
      Plan plan = Plan.of(row.run(), rowOptions, files);
      Path directory = Files.createDirectories(work.resolve(name));
      BenchmarkRun run = plan.benchmarkRun(rowOptions, checkout, directory, launcher, files);
      runs = run.results();
      LoadRounds rounds = plan.work() instanceof LoadRounds load ? load : null;
      if (rounds == null || !rounds.requirements().equals(requirements)) {
        stopShared(launcher);
      }
      if (rounds == null) {
        plan.work().run(run);
        launcher.close();
      } else {
        requirements = rounds.requirements();
        rounds.run(run, shared, UNMEASURED_ROUNDS);
      }
      run.programs().forEach((broker, program) -> facts.put("program of " + broker, program));
    } catch (Exception e) {
      if (launcher.isShutdown() || e instanceof InterruptedException) {
        throw e;
      }
      failure = LoadRounds.message(e);
      System.out.println(name + " failed: " + failure);
      stopShared(launcher);
    }
    line.addAll(0, List.of("run", row.run()));
    runs = runs.stream().map(RunResult::withoutSamples).toList();
    return new TargetResult(name, row, RunCommand.command(line), runs, failure);
  }

  private void stopShared(BrokerLauncher launcher) {
    shared.clear();
    requirements = List.of();
    launcher.close();
  }

  /** Returns the options of {@code bin/perf.sh run} that measure a row on new brokers. */
  private List<String> runWords(TargetRow row) {
    boolean load = Benchmarks.find(row.run()).isEmpty();
    List<String> line = new ArrayList<>();
    options.brokers.forEach(broker -> line.addAll(List.of("--broker", broker)));
    if (row.comparesWithMosquitto() && !options.brokers.contains(BrokerSpec.MOSQUITTO)) {
      line.addAll(List.of("--broker", BrokerSpec.MOSQUITTO));
    }
    if (row.set() != null) {
      row.set().forEach((name, value) -> line.addAll(List.of("--set", name + "=" + value)));
    }
    line.addAll(List.of("--runs", "" + options.runs(RUNS)));
    addTime(line, "--seconds", options.seconds(load ? LOAD_SECONDS : BENCHMARK_DEFAULT));
    addTime(line, "--warm", options.warmSeconds(load ? LOAD_WARM_SECONDS : BENCHMARK_DEFAULT));
    if (load) {
      line.add("--reuse");
    }
    return line;
  }

  private static void addTime(List<String> line, String option, int seconds) {
    if (seconds != BENCHMARK_DEFAULT) {
      line.addAll(List.of(option, "" + seconds));
    }
  }
}
