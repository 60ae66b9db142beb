package io.fjordmq.perf.tool;

import io.fjordmq.perf.benchmark.BenchmarkRun;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.machine.HostInfo;
import io.fjordmq.perf.machine.RunDirectory;
import io.fjordmq.perf.report.Report;
import io.fjordmq.perf.report.TerminalTable;
import io.fjordmq.perf.scenario.ScenarioFiles;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code bin/perf.sh run}: runs a scenario and writes the report. If a run fails, the results of
 * the completed runs remain.
 */
@Command(name = "run")
final class RunCommand implements Callable<Integer> {
  private static final Pattern UNQUOTED = Pattern.compile("[A-Za-z0-9_./:,=@%+-]+");

  private static final String CONFIG_VARIABLE =
      "FJORDMQ_.+|(dist_worker|inbox_store|retain_store)_.+";

  private final Path checkout;
  private final Path workingDirectory;
  private final List<String> words;

  @Parameters(paramLabel = "SCENARIO")
  private String scenario = "";

  @Mixin private RunOptions options = new RunOptions();

  /**
   * @param words arguments as the user typed them
   */
  RunCommand(Path checkout, Path workingDirectory, List<String> words) {
    this.checkout = checkout;
    this.workingDirectory = workingDirectory;
    this.words = words;
  }

  @Override
  public Integer call() throws Exception {
    options.resolve(workingDirectory);
    ScenarioFiles files = new ScenarioFiles(checkout.resolve("perf/scenarios"));
    Plan plan = Plan.of(scenario, options, files);
    ReportDirectory directory = new ReportDirectory(options.out);
    directory.requireWritable();
    System.out.println(plan.name() + ": " + plan.summary());
    plan.notes().forEach(note -> System.out.println("  " + note));
    RunDirectory work = RunDirectory.make();
    BrokerLauncher launcher = new BrokerLauncher(checkout);
    BenchmarkRun run = plan.benchmarkRun(options, checkout, work.path(), launcher, files);
    String startedAt = ReportDirectory.now();
    Map<String, String> facts = facts(plan);
    String failed = measure(() -> plan.work().run(run), run.results(), launcher, work);
    run.programs().forEach((broker, program) -> facts.put("program of " + broker, program));
    List<String> notes = new ArrayList<>(plan.notes());
    notes.addAll(run.notes());
    if (failed != null) {
      notes.add(failed);
    }
    Report report =
        new Report(
            plan.name(),
            plan.summary(),
            plan.published(),
            plan.flow(),
            command(words),
            startedAt,
            facts,
            notes,
            plan.warmSeconds(),
            plan.seconds(),
            run.results());
    System.out.println();
    System.out.print(TerminalTable.of(report));
    report.notes().stream()
        .filter(note -> !plan.notes().contains(note))
        .forEach(System.out::println);
    directory.write(report);
    return finish(report.hasNoFaults(), work, failed);
  }

  /** Measurements that stop at the first failure. */
  interface Measuring {
    void run() throws Exception;
  }

  /**
   * Runs the measurements, up to the first failure.
   *
   * @return which run failed, and why; null if all succeeded
   * @throws Exception if there is no result at all, or the user interrupted the tool
   */
  static @Nullable String measure(
      Measuring body, List<RunResult> results, BrokerLauncher launcher, RunDirectory work)
      throws Exception {
    Thread interrupted = new Thread(() -> cleanUp(launcher, work), "interrupted");
    Runtime.getRuntime().addShutdownHook(interrupted);
    try (launcher) {
      body.run();
      return null;
    } catch (Exception e) {
      if (launcher.isShutdown()) {
        throw new UsageException("interrupted");
      }
      if (results.isEmpty() || e instanceof InterruptedException) {
        if (work.keep()) {
          System.err.println("perf: broker logs: " + work.path());
        }
        throw e;
      }
      return "incomplete: " + LoadRounds.message(e);
    } finally {
      removeShutdownHook(interrupted);
    }
  }

  private static void removeShutdownHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The tool is being interrupted and the hook is running.
    }
  }

  private static void cleanUp(BrokerLauncher launcher, RunDirectory work) {
    try {
      launcher.shutdown();
    } catch (UncheckedIOException e) {
      System.err.println("perf: " + e.getMessage());
    }
    try {
      work.delete();
    } catch (IOException e) {
      System.err.println("perf: failed to remove all files below " + work.path() + ": " + e);
    }
  }

  /** Deletes the files of the brokers if there was no fault or failure; returns the exit code. */
  static int finish(boolean flawless, RunDirectory work, @Nullable String failed)
      throws IOException {
    if (failed == null && flawless) {
      work.delete();
      return PerfTool.NO_FAULTS;
    }
    if (work.keep()) {
      System.out.println("broker logs: " + work.path());
    }
    if (failed != null) {
      System.err.println("perf: " + failed);
      return PerfTool.INCOMPLETE;
    }
    return PerfTool.FAULTS;
  }

  /** Returns the command, quoted for a shell. */
  static String command(List<String> words) {
    return Stream.concat(Stream.of("bin/perf.sh"), words.stream())
        .map(
            word ->
                UNQUOTED.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  private Map<String, String> facts(Plan plan) throws InterruptedException {
    Map<String, String> facts = new LinkedHashMap<>();
    boolean starts = options.hosts().isEmpty();
    facts.putAll(commits(starts ? "commit" : "commit of the tool", checkout, options.brokers));
    facts.put("scale", options.scale().toString());
    facts.put("threads of the load", String.valueOf(options.threads));
    if (starts) {
      facts.putAll(settings());
    }
    facts.putAll(plan.facts());
    facts.putAll(HostInfo.all());
    return facts;
  }

  /** Returns the commits of the measured checkouts, as facts. */
  static Map<String, String> commits(String name, Path checkout, List<String> brokers)
      throws InterruptedException {
    Map<String, String> commits = new LinkedHashMap<>();
    commits.put(name, HostInfo.commit(checkout));
    for (String broker : brokers) {
      if (broker.contains("/")) {
        commits.put("commit of " + broker, HostInfo.commit(Path.of(broker)));
      }
    }
    return commits;
  }

  /**
   * Returns the environment variables that change the configuration of started nodes, as a fact.
   */
  static Map<String, String> settings() {
    String settings =
        System.getenv().entrySet().stream()
            .filter(entry -> entry.getKey().matches(CONFIG_VARIABLE))
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .sorted()
            .collect(Collectors.joining(" "));
    return settings.isEmpty() ? Map.of() : Map.of("set by environment", settings);
  }
}
