package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.BrokerLauncher;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.LoadRun;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunStatistics;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.ScenarioFiles;
import io.fjordmq.perf.scenario.UsageException;
import io.fjordmq.perf.scenario.UserStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * One execution of a scenario or benchmark: its settings, the brokers it starts and its results.
 * Used by one thread.
 */
public final class BenchmarkRun {
  /**
   * Scenario that warms up brokers before a comparison, so that their JVMs have compiled the hot
   * code.
   */
  private static final String WARM_UP = "pairs_clean_qos1_p32";

  /**
   * The settings of a run.
   *
   * @param checkout FjordMQ checkout
   * @param work directory for the data and logs of brokers
   * @param threads number of event loops of the load tool
   * @param brokers programs to start, as in {@link BrokerSpec#program}
   * @param parameters parameters of the benchmark
   */
  public record Settings(
      Path checkout,
      Path work,
      int runs,
      int seconds,
      int warmSeconds,
      int threads,
      List<String> brokers,
      Map<String, String> parameters) {}

  private final Settings settings;
  private final BrokerLauncher launcher;
  private final ScenarioFiles scenarios;
  private final Consumer<String> progress;
  private final List<RunResult> results = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<String, String> programs = new LinkedHashMap<>();
  private int starts;

  /**
   * @param progress receives lines for the user
   */
  public BenchmarkRun(
      Settings settings,
      BrokerLauncher launcher,
      ScenarioFiles scenarios,
      Consumer<String> progress) {
    this.settings = settings;
    this.launcher = launcher;
    this.scenarios = scenarios;
    this.progress = progress;
  }

  public Settings settings() {
    return settings;
  }

  /** Returns the value of a parameter. */
  String parameter(String name) {
    return settings.parameters().getOrDefault(name, "");
  }

  /**
   * Returns the value of a parameter that has a fixed set of values.
   *
   * @throws UsageException if the value is not one of the choices
   */
  String choice(String name, String... choices) {
    String value = parameter(name);
    if (!List.of(choices).contains(value)) {
      throw new UsageException(
          "--set " + name + " must be " + String.join(" or ", choices) + ", not '" + value + "'");
    }
    return value;
  }

  /**
   * Returns the value of a parameter that names a user store.
   *
   * @throws UsageException if there is no such store
   */
  UserStore userStore(String name, List<UserStore> choices) {
    String value = choice(name, choices.stream().map(UserStore::toString).toArray(String[]::new));
    return UserStore.valueOf(value.toUpperCase(Locale.ROOT));
  }

  /** Returns the value of a parameter, a whole number of at least 1. */
  int number(String name) {
    List<Integer> numbers = numbers(name);
    return numbers.get(0);
  }

  /** Returns a comma-separated list of whole numbers of at least 1. */
  List<Integer> numbers(String name) {
    String value = parameter(name);
    if (!value.matches("[1-9][0-9]{0,8}(,[1-9][0-9]{0,8})*")) {
      throw new UsageException(
          "--set " + name + " must be a whole number of at least 1, not '" + value + "'");
    }
    return List.of(value.split(",", -1)).stream().map(Integer::valueOf).toList();
  }

  /** Returns a scenario by its name. */
  Scenario scenario(String name) {
    return scenarios.find(name);
  }

  /**
   * Returns a scenario with a single node and only TCP listeners, for clients of the benchmark
   * itself.
   */
  Scenario singleNode() {
    return scenario("true_1_1_qos0_p32_1mps_1n");
  }

  /** Starts FjordMQ as one node with additional settings. */
  RunningBroker startNode(String name, String sections) throws Exception {
    return start(spec(name, singleNode(), sections));
  }

  /** Returns the specification of the broker in a benchmark that measures only one broker. */
  BrokerSpec spec(String name, Scenario scenario, String sections) {
    return new BrokerSpec(name, settings.brokers().get(0), scenario, sections);
  }

  /** Starts a broker with empty data. */
  public RunningBroker start(BrokerSpec spec) throws Exception {
    return start(spec, settings.work().resolve(shortName(spec.name()) + "-" + starts++));
  }

  /** Starts a broker with the data in a directory. */
  RunningBroker start(BrokerSpec spec, Path directory) throws Exception {
    progress.accept("starting " + spec.name());
    RunningBroker broker = launcher.start(spec, directory);
    recordPrograms(broker);
    return broker;
  }

  /** Records which programs a broker runs, for the report. */
  public void recordPrograms(RunningBroker broker) throws InterruptedException {
    if (broker.watch().seesProcesses() && !programs.containsKey(broker.name())) {
      programs.put(broker.name(), String.join("; ", broker.watch().programs()));
    }
  }

  private static String shortName(String name) {
    return name.replaceAll(".*/|[^A-Za-z0-9._-]", "");
  }

  /** Starts each of the brokers to compare, without rate limits. */
  List<RunningBroker> startAll() throws Exception {
    List<RunningBroker> all = new ArrayList<>();
    for (String program : settings.brokers()) {
      String name = Path.of(program).getFileName().toString();
      all.add(start(new BrokerSpec(name, program, singleNode(), BrokerSpec.UNLIMITED_RATES)));
    }
    warmUp(all, settings.warmSeconds());
    return all;
  }

  /**
   * Runs a default load against each broker in turn, so that the first measurement does not include
   * JIT compilation.
   */
  public void warmUp(List<RunningBroker> brokers, int seconds) throws Exception {
    warmUp(brokers, scenario(WARM_UP), seconds);
  }

  /** Like {@link #warmUp(List, int)}, but with the given load. */
  public void warmUp(List<RunningBroker> brokers, Scenario load, int seconds) throws Exception {
    for (RunningBroker broker : brokers) {
      if (seconds > 0) {
        progress.accept("warming up " + broker.name() + " for " + seconds + " s");
        load(broker.reused(), broker.name(), load, 0, seconds);
      }
    }
  }

  /** Runs a load scenario against a broker; does not add the result. Blocks. */
  public RunResult load(
      RunningBroker broker, String column, Scenario scenario, int warmSeconds, int seconds)
      throws Exception {
    try (ClientLoops loops = broker.loops(settings.threads())) {
      return load(broker, loops, column, scenario, warmSeconds, seconds);
    }
  }

  /** Runs a load scenario with clients on the given event loops. */
  RunResult load(
      RunningBroker broker,
      ClientLoops loops,
      String column,
      Scenario scenario,
      int warmSeconds,
      int seconds)
      throws Exception {
    return load(broker, loops, column, new LoadRun(scenario, warmSeconds, seconds, this::progress));
  }

  /** Runs a load with clients on the given event loops. */
  RunResult load(RunningBroker broker, ClientLoops loops, String column, LoadRun load)
      throws Exception {
    int run = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
    RunResult result = load.run(column, loops, broker.watch(), run, broker.keepsRunning());
    return broker.limits().addRemarks(result);
  }

  /**
   * Runs a load while another thread measures something else. Blocks.
   *
   * @return the result of the load with what the other thread has measured
   */
  RunResult loadDuring(Callable<Measurement> other, Callable<RunResult> load) throws Exception {
    FutureTask<Measurement> measuring = new FutureTask<>(other);
    Thread thread = new Thread(measuring, "benchmark");
    thread.setDaemon(true);
    thread.start();
    try {
      RunResult result = load.call();
      return measuring.get().addTo(result);
    } finally {
      measuring.cancel(true); // if the load has failed
    }
  }

  /** Adds the result of a run. */
  public void add(RunResult result) {
    results.add(result);
    String figures =
        result.figures().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .filter(figure -> !figure.getKey().isFault() || figure.getValue() > 0)
            .map(figure -> text(figure.getKey(), figure.getValue()))
            .collect(Collectors.joining("; "));
    progress.accept(result.broker() + ": " + figures);
  }

  private static String text(ResultMetric metric, double value) {
    return (metric.label() + " " + metric.text(value) + " " + metric.unit()).strip();
  }

  /** Adds a sentence for readers of the report. */
  void note(String note) {
    notes.add(note);
  }

  public void progress(String line) {
    progress.accept(line);
  }

  /** Returns the results so far, in the order in which they were added. */
  public List<RunResult> results() {
    return results;
  }

  /** Returns the ratio of a figure for each pair of successive results of two columns. */
  double[] ratios(String column, String other, ResultMetric metric) {
    return RunStatistics.ratios(
        RunStatistics.values(results, column, metric),
        RunStatistics.values(results, other, metric));
  }

  public List<String> notes() {
    return notes;
  }

  /** Returns the programs by broker name, for those brokers whose programs could be determined. */
  public Map<String, String> programs() {
    return programs;
  }
}
