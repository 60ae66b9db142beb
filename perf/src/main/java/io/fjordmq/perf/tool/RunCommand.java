package io.fjordmq.perf.tool;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.load.LoadRun;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.machine.MachineFacts;
import io.fjordmq.perf.report.HtmlReport;
import io.fjordmq.perf.report.Report;
import io.fjordmq.perf.report.ReportJson;
import io.fjordmq.perf.report.TerminalTable;
import io.fjordmq.perf.scenario.Connections.Transport;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.perf.scenario.Scale;
import io.fjordmq.perf.scenario.Scale.Scaled;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.ScenarioFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** {@code run}: makes a scenario fit, refuses what does not, runs it and writes the report. */
final class RunCommand {
  private static final int WARM_SECONDS = 15;

  private static final String SETTING = "FJORDMQ_.+|(dist_worker|inbox_store|retain_store)_.+";

  private final Path checkout;
  private final Path here;
  private final RunOptions options;
  private final List<String> words;
  private final Scenario original;

  /**
   * @param words as they were given
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
    Scenario scenario = scaled.scenario();
    List<String> notes = notes(scaled);
    System.out.println(original.name() + ": " + scenario.summary());
    notes.forEach(note -> System.out.println("  " + note));
    int seconds = options.seconds() == RunOptions.UNSAID ? original.seconds() : options.seconds();
    int warm = scenario.cluster().cold() ? 0 : WARM_SECONDS;
    warm = options.warmSeconds() == RunOptions.UNSAID ? warm : options.warmSeconds();
    String startedAt =
        ZonedDateTime.now()
            .truncatedTo(ChronoUnit.SECONDS)
            .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    Map<String, String> facts = facts();
    List<RunResult> results = new ArrayList<>();
    Path work = Files.createTempDirectory("fjordmq-perf");
    try (Brokers brokers = new Brokers(checkout, scenario)) {
      Thread ending = new Thread(() -> interrupted(brokers, work), "ending");
      Runtime.getRuntime().addShutdownHook(ending);
      for (int run = 0; run < options.runs(); run++) {
        for (String name : names()) {
          results.add(one(brokers, name, scenario, warm, seconds, work.resolve(name + "-" + run)));
        }
      }
      Runtime.getRuntime().removeShutdownHook(ending);
    }
    Report report =
        new Report(
            original.name(),
            scenario.summary(),
            original.published(),
            "bin/perf.sh " + String.join(" ", words),
            startedAt,
            facts,
            notes,
            warm,
            seconds,
            results);
    System.out.println();
    System.out.print(TerminalTable.of(report));
    write(report);
    if (report.isFlawless() || !options.hosts().isEmpty()) {
      delete(work); // a given broker has its logs elsewhere
    } else {
      System.out.println("logs of the brokers: " + work);
    }
    return report.isFlawless() ? PerfTool.FLAWLESS : PerfTool.FAULTS;
  }

  /** Nothing is left of a run that somebody broke off. */
  private static void interrupted(Brokers brokers, Path work) {
    try {
      brokers.endForGood();
    } catch (UncheckedIOException e) {
      System.err.println("perf: " + e.getMessage());
    }
    try {
      delete(work);
    } catch (IOException e) {
      System.err.println("perf: not everything could be removed below " + work + ": " + e);
    }
  }

  /** The names of the brokers of one round; one for a given broker. */
  private List<String> names() {
    return options.hosts().isEmpty() ? options.brokers() : List.of("given");
  }

  private RunResult one(
      Brokers brokers, String name, Scenario scenario, int warm, int seconds, Path directory)
      throws Exception {
    System.out.println();
    boolean given = !options.hosts().isEmpty();
    System.out.println(given ? "the given broker" : "starting " + name);
    try (Target target = given ? brokers.given(options) : brokers.start(name, directory);
        ClientLoops loops =
            new ClientLoops(
                target.addresses(), options.threads(), target.tls(), options.remote())) {
      RunResult result =
          new LoadRun(scenario, warm, seconds, System.out::println)
              .run(
                  target.name(),
                  loops,
                  target.watch(),
                  ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE),
                  target.staying());
      return target.limits().explain(result);
    }
  }

  /** What can be run here of what was asked for. */
  private Scaled fitting() {
    List<String> obstacles = new ArrayList<>();
    boolean starts = options.hosts().isEmpty();
    if (wanted().connections().users() && !starts) {
      obstacles.add(
          "users: each client has a user of its own, which a given broker does not know; --without"
              + " users runs the rest, and the report says so");
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
    if (options.brokers().contains(RunOptions.MOSQUITTO) && scenario.cluster().nodes() > 1) {
      obstacles.add("mosquitto is one node, and this is work for " + scenario.cluster().nodes());
    }
    if (!starts && scenario.cluster().cold()) {
      obstacles.add("cold means that the cluster starts with the load: it cannot be given");
    }
    if (!obstacles.isEmpty()) {
      throw new UsageException(
          original.name()
              + " ("
              + scenario.summary()
              + ") cannot be run like this:\n  - "
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
    if (original.connections().users()) {
      notes.add(
          scaled.scenario().connections().users()
              ? "users, their passwords (hashed with SHA-512) and rights to topics are in files that"
                  + " the broker reads at its start, not in Redis"
              : "left out: users and their rights to topics");
    }
    if (options.brokers().contains(RunOptions.FJORDMQ)
        && Brokers.needsMoreThanUsualRates(scaled.scenario())) {
      notes.add(
          "FjordMQ's limits of a client's bytes a second are lifted: its busiest client comes near"
              + " them");
    }
    if (!options.hosts().isEmpty()) {
      notes.add(
          "a given broker: how many nodes and voters it has, and what it keeps on disk, is its own"
              + " affair");
    } else if (options.brokers().contains(RunOptions.MOSQUITTO)
        && scaled.scenario().connections().persistent()) {
      notes.add("mosquitto keeps persistent sessions in memory and saves them from time to time");
    }
    if (original.connections().transport() != Transport.TCP && options.hosts().isEmpty()) {
      notes.add("certificates are made for the run, with keys of P-256; no TLS session is resumed");
    }
    return notes;
  }

  private Map<String, String> facts() throws InterruptedException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("commit", MachineFacts.commit(checkout));
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

  /** What the nodes that are started here inherit and take for their configuration. */
  private static List<String> settings() {
    return System.getenv().entrySet().stream()
        .filter(entry -> entry.getKey().matches(SETTING))
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .sorted()
        .toList();
  }

  private void write(Report report) throws IOException {
    Path out = options.out();
    Path folder = out == null ? here.resolve("perf-reports") : out;
    Files.createDirectories(folder);
    String name =
        report.scenario()
            + "-"
            + LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
    Path json = folder.resolve(name + ".json");
    Path page = folder.resolve(name + ".html");
    Files.writeString(json, ReportJson.write(report));
    Files.writeString(page, HtmlReport.write(report));
    System.out.println();
    System.out.println("report: " + page);
    System.out.println("        " + json);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
