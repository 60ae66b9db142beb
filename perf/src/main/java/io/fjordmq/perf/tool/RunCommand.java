package io.fjordmq.perf.tool;

import io.fjordmq.perf.benchmark.Benchmark;
import io.fjordmq.perf.benchmark.BenchmarkRun;
import io.fjordmq.perf.benchmark.Benchmarks;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.machine.MachineFacts;
import io.fjordmq.perf.machine.WorkFolder;
import io.fjordmq.perf.report.Report;
import io.fjordmq.perf.report.TerminalTable;
import io.fjordmq.perf.scenario.ScenarioFiles;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
    Optional<Benchmark> benchmark = Benchmarks.find(options.scenario);
    Plan plan =
        benchmark.isPresent()
            ? Plan.of(benchmark.get(), options)
            : new LoadPlan(files.find(options.scenario), options).plan();
    ReportFolder folder = new ReportFolder(options.out);
    folder.check();
    System.out.println(plan.name() + ": " + plan.summary());
    plan.notes().forEach(note -> System.out.println("  " + note));
    WorkFolder work = WorkFolder.make();
    BrokerLauncher launcher = new BrokerLauncher(checkout);
    BenchmarkRun run = new BenchmarkRun(settings(plan, work), launcher, files, System.out::println);
    String startedAt =
        ZonedDateTime.now()
            .truncatedTo(ChronoUnit.SECONDS)
            .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    Map<String, String> facts = facts(plan);
    String failed = measure(plan, run, launcher, work);
    run.programs().forEach((broker, program) -> facts.put("program of " + broker, program));
    Report report = report(plan, run, startedAt, facts, failed);
    System.out.println();
    System.out.print(TerminalTable.of(report));
    report.notes().stream()
        .filter(note -> !plan.notes().contains(note))
        .forEach(System.out::println);
    folder.write(report);
    return finish(report, work, failed);
  }

  private BenchmarkRun.Settings settings(Plan plan, WorkFolder work) {
    return new BenchmarkRun.Settings(
        checkout,
        work.path(),
        plan.runs(),
        plan.seconds(),
        plan.warmSeconds(),
        options.threads,
        options.brokers,
        plan.parameters());
  }

  /**
   * Runs the measurements, up to the first failure.
   *
   * @return which run failed, and why; null if all succeeded
   * @throws Exception if there is no result at all, or the user interrupted the tool
   */
  private static @Nullable String measure(
      Plan plan, BenchmarkRun run, BrokerLauncher launcher, WorkFolder work) throws Exception {
    Thread interrupted = new Thread(() -> cleanUp(launcher, work), "interrupted");
    Runtime.getRuntime().addShutdownHook(interrupted);
    try (launcher) {
      plan.work().run(run);
      return null;
    } catch (Exception e) {
      if (launcher.isShutdown()) {
        throw new UsageException("interrupted");
      }
      if (run.results().isEmpty() || e instanceof InterruptedException) {
        if (work.keep()) {
          System.err.println("perf: broker logs: " + work.path());
        }
        throw e;
      }
      return "incomplete: " + (e.getMessage() == null ? e : e.getMessage());
    } finally {
      remove(interrupted);
    }
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The tool is being interrupted and the hook is running.
    }
  }

  private static void cleanUp(BrokerLauncher launcher, WorkFolder work) {
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

  private Report report(
      Plan plan,
      BenchmarkRun run,
      String startedAt,
      Map<String, String> facts,
      @Nullable String failed) {
    List<String> notes = new ArrayList<>(plan.notes());
    notes.addAll(run.notes());
    if (failed != null) {
      notes.add(failed);
    }
    return new Report(
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
  }

  /** Deletes the brokers' files unless a run failed or had faults; returns the exit code. */
  private static int finish(Report report, WorkFolder work, @Nullable String failed)
      throws IOException {
    if (failed == null && report.hasNoFaults()) {
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
    facts.put(starts ? "commit" : "commit of the tool", MachineFacts.commit(checkout));
    for (String broker : options.brokers) {
      if (broker.contains("/")) {
        facts.put("commit of " + broker, MachineFacts.commit(Path.of(broker)));
      }
    }
    facts.put("scale", options.scale().toString());
    facts.put("threads of the load", String.valueOf(options.threads));
    if (starts && !settings().isEmpty()) {
      facts.put("set by environment", String.join(" ", settings()));
    }
    facts.putAll(plan.facts());
    facts.putAll(MachineFacts.all());
    return facts;
  }

  /** Returns the environment variables that change the configuration of the nodes started here. */
  private static List<String> settings() {
    return System.getenv().entrySet().stream()
        .filter(entry -> entry.getKey().matches(CONFIG_VARIABLE))
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .sorted()
        .toList();
  }
}
