package io.fjordmq.perf.tool;

import io.fjordmq.perf.load.LoadRun;
import io.fjordmq.perf.machine.MachineFacts;
import io.fjordmq.perf.machine.Program;
import io.fjordmq.perf.report.Report;
import io.fjordmq.perf.report.TerminalTable;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scale;
import io.fjordmq.perf.scenario.Scale.Scaled;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.ScenarioFiles;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code bin/perf.sh run}: scales a scenario, rejects what cannot run here, runs it and writes the
 * report.
 */
final class RunCommand {
  private static final int WARM_SECONDS = 15;

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:,=@%+-]+");

  private static final String SETTING = "FJORDMQ_.+|(dist_worker|inbox_store|retain_store)_.+";

  private final Path checkout;
  private final Path here;
  private final RunOptions options;
  private final List<String> words;
  private final Scenario original;

  /**
   * @param words arguments as given by the user
   */
  RunCommand(
      Path checkout, Path here, ScenarioFiles files, RunOptions options, List<String> words) {
    this.checkout = checkout;
    this.here = here;
    this.options = options;
    this.words = words;
    this.original = files.find(options.scenario());
  }

  int run() throws Exception {
    Scaled scaled = fitting();
    Path out = options.out();
    ReportFolder folder = new ReportFolder(out == null ? here.resolve("perf-reports") : out);
    folder.check();
    Scenario scenario = scaled.scenario();
    List<String> notes = notes(scaled);
    System.out.println(original.name() + ": " + scenario.summary());
    notes.forEach(note -> System.out.println("  " + note));
    int seconds = options.seconds() == RunOptions.UNSAID ? original.seconds() : options.seconds();
    int warm = warmSeconds(scenario);
    String startedAt =
        ZonedDateTime.now()
            .truncatedTo(ChronoUnit.SECONDS)
            .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    Map<String, String> facts = facts();
    Rounds rounds =
        new Rounds(
            checkout, options, scenario, new LoadRun(scenario, warm, seconds, System.out::println));
    WorkFolder work = WorkFolder.make();
    try {
      rounds.run(work);
    } catch (Exception e) {
      if (!rounds.isInterrupted() && work.keep()) {
        System.err.println("perf: logs of the brokers: " + work.path());
      }
      throw e;
    }
    rounds.programs().forEach((broker, program) -> facts.put("program of " + broker, program));
    String failed = rounds.failed();
    if (failed != null) {
      notes.add(failed);
    }
    Report report =
        new Report(
            original.name(),
            scenario.summary(),
            original.published(),
            scenario.flow(),
            command(words),
            startedAt,
            facts,
            notes,
            warm,
            seconds,
            rounds.results());
    System.out.println();
    System.out.print(TerminalTable.of(report));
    folder.write(report);
    if (failed == null && report.hasNoFaults()) {
      work.delete();
      return PerfTool.FLAWLESS;
    }
    if (work.keep()) {
      System.out.println("logs of the brokers: " + work.path());
    }
    if (failed != null) {
      System.err.println("perf: " + failed);
      return PerfTool.NOT_DONE;
    }
    return PerfTool.FAULTS;
  }

  /** Quoted for a shell. */
  static String command(List<String> words) {
    return Stream.concat(Stream.of("bin/perf.sh"), words.stream())
        .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  private int warmSeconds(Scenario scenario) {
    if (scenario.flow() == Flow.CONNECTIONS) {
      return 0; // no messages, nothing to warm up
    }
    int usual = scenario.cluster().cold() ? 0 : WARM_SECONDS;
    return options.warmSeconds() == RunOptions.UNSAID ? usual : options.warmSeconds();
  }

  /** The scenario as this host can run it. */
  private Scaled fitting() {
    List<String> obstacles = new ArrayList<>();
    boolean starts = options.hosts().isEmpty();
    if (wanted().connections().users() && !starts) {
      obstacles.add(
          "users: each client has its own user, which a given broker does not know; --without"
              + " users runs the scenario without them, and the report says so");
    }
    LimitsHere.obstacle(wanted().cluster().limits(), starts).ifPresent(obstacles::add);
    Scaled scaled = options.scale().apply(wanted());
    if (starts && !options.scale().isFull()) {
      scaled = Scale.nodes(scaled, Feasibility.MOST_NODES);
    } else if (!starts) {
      scaled = Scale.nodes(scaled, options.hosts().size());
    }
    Scenario scenario = scaled.scenario();
    obstacles.addAll(
        new Feasibility(MachineFacts.openFiles(), MachineFacts.availableKilobytes())
            .obstacles(scenario, options.scale().factor(), starts));
    if (options.brokers().contains(RunOptions.MOSQUITTO)
        && !Program.isInPath(RunOptions.MOSQUITTO, System.getenv().getOrDefault("PATH", ""))) {
      obstacles.add("mosquitto is not installed or not in PATH");
    }
    if (options.brokers().contains(RunOptions.MOSQUITTO) && scenario.cluster().nodes() > 1) {
      obstacles.add("mosquitto is one node, but the scenario needs " + scenario.cluster().nodes());
    }
    if (!starts && scenario.cluster().cold()) {
      obstacles.add("a cold cluster starts with the load, so it cannot be a given broker");
    }
    if (!obstacles.isEmpty()) {
      throw new UsageException(
          original.name()
              + " ("
              + scenario.summary()
              + ") cannot run here:\n  - "
              + String.join("\n  - ", obstacles));
    }
    return scaled;
  }

  private Scenario wanted() {
    Scenario scenario = original;
    if (options.without().contains(Omission.USERS)) {
      scenario = scenario.withoutUsers();
    }
    if (options.without().contains(Omission.NODE_LIMITS)) {
      scenario = scenario.withoutNodeLimits();
    }
    return scenario;
  }

  private List<String> notes(Scaled scaled) {
    List<String> notes = new ArrayList<>(scaled.notes());
    notes.addAll(LimitsHere.own().notes(original.cluster().limits(), scaled.scenario().cluster()));
    if (scaled.scenario().flow() == Flow.CONNECTIONS && options.warmSeconds() > 0) {
      notes.add("connection scenarios have no warm-up; --warm is ignored");
    }
    if (original.connections().users()) {
      notes.add(
          scaled.scenario().connections().users()
              ? "users, passwords (hashed with SHA-512) and access rules are in files that"
                  + " the broker reads at startup, not in Redis"
              : "omitted: users and their access rules");
    }
    if (options.brokers().contains(RunOptions.FJORDMQ)
        && Brokers.needsMoreThanUsualRates(scaled.scenario())) {
      notes.add(
          "FjordMQ's rate limits per client are lifted, because the busiest client comes near"
              + " them");
    }
    if (!options.hosts().isEmpty()) {
      notes.add(
          "a given broker: this tool does not control its nodes, its voters and what it keeps on"
              + " disk");
    } else if (options.brokers().contains(RunOptions.MOSQUITTO)
        && scaled.scenario().connections().persistent()) {
      notes.add("mosquitto keeps persistent sessions in memory and saves them periodically");
    }
    if (original.connections().transport() != Transport.TCP && options.hosts().isEmpty()) {
      notes.add("certificates are generated for the run (P-256); no TLS session is resumed");
    }
    return notes;
  }

  private Map<String, String> facts() throws InterruptedException {
    Map<String, String> facts = new LinkedHashMap<>();
    boolean ours = options.brokers().contains(RunOptions.FJORDMQ);
    facts.put(ours ? "commit" : "commit of the tool", MachineFacts.commit(checkout));
    facts.put("scale", options.scale().toString());
    facts.put("threads of the load", String.valueOf(options.threads()));
    if (options.hosts().isEmpty() && !settings().isEmpty()) {
      facts.put("set by environment", String.join(" ", settings()));
    }
    NodeLimits limits = wanted().cluster().limits();
    if (!limits.isNone()) {
      facts.put("limits of each node", limits + ", by control groups of version 1");
    }
    facts.putAll(MachineFacts.all());
    return facts;
  }

  /** Environment variables that change the configuration of the nodes started here. */
  private static List<String> settings() {
    return System.getenv().entrySet().stream()
        .filter(entry -> entry.getKey().matches(SETTING))
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .sorted()
        .toList();
  }
}
