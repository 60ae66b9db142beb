package io.fjordmq.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares this broker with mosquitto. Both run at the same time, and the load alternates between
 * them. The output has the medians of all runs and of their ratios, because hosts are noisy.
 *
 * <p>{@code Figures CHECKOUT OTHER ONLY RUNS SECONDS WARM_SECONDS}; started by {@code
 * bin/figures.sh}. OTHER is a checkout to run instead of mosquitto, to measure a change; ONLY is a
 * prefix of the names of workloads; both may be empty.
 */
public final class Figures {
  private static final int WARM_UP_SECONDS = 60;
  private static final int CLIENT_THREADS = 2;

  private final int runs;
  private final Path checkout;
  private final @Nullable Path other;
  private final Path directory;

  private Figures(int runs, Path checkout, @Nullable Path other, Path directory) {
    this.runs = runs;
    this.checkout = checkout;
    this.other = other;
    this.directory = directory;
  }

  /** Runs the comparison; see the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 6) {
      throw new IllegalArgumentException(
          "usage: Figures CHECKOUT OTHER ONLY RUNS SECONDS WARM_SECONDS");
    }
    int runs = Integer.parseInt(args[3]);
    List<Workload> chosen =
        figures(Integer.parseInt(args[5]), Integer.parseInt(args[4])).stream()
            .filter(workload -> workload.name().startsWith(args[2]))
            .toList();
    boolean start = StartWithQueues.NAME.startsWith(args[2]);
    if (chosen.isEmpty() && !start) {
      throw new IllegalArgumentException("no workload begins with '" + args[2] + "'");
    }
    Path directory = Files.createTempDirectory("fjordmq-figures");
    System.out.println("data and logs below " + directory);
    Path checkout = Path.of(args[0]);
    Path other = args[1].isEmpty() ? null : Path.of(args[1]);
    Figures figures = new Figures(runs, checkout, other, directory);
    figures.measureRepeatable(chosen.stream().filter(Workload::limited).toList());
    for (Workload workload : chosen) {
      if (!workload.repeatable()) {
        figures.measureWithNewBrokers(workload);
      }
    }
    figures.measureRepeatable(chosen.stream().filter(workload -> !workload.limited()).toList());
    if (start) {
      new StartWithQueues(checkout, directory.resolve("start")).measure(runs);
    }
  }

  /** All workloads on the same two brokers. */
  private void measureRepeatable(List<Workload> chosen) throws Exception {
    List<Workload> repeatable = chosen.stream().filter(Workload::repeatable).toList();
    if (repeatable.isEmpty()) {
      return;
    }
    boolean limited = repeatable.get(0).limited();
    try (Brokers brokers = start(directory.resolve(limited ? "usual" : "unlimited"), limited)) {
      brokers.starts();
      brokers.warmUp();
      for (Workload workload : repeatable) {
        System.out.printf("%n%s%n", workload.name());
        Results results = new Results();
        for (int run = 0; run < runs; run++) {
          brokers.measure(workload, results);
        }
        results.print();
      }
    }
  }

  private void measureWithNewBrokers(Workload workload) throws Exception {
    System.out.printf("%n%s, new brokers for each run%n", workload.name());
    Results results = new Results();
    for (int run = 0; run < runs; run++) {
      try (Brokers brokers = start(directory.resolve("new-" + run), workload.limited())) {
        brokers.measure(workload, results);
      }
    }
    results.print();
  }

  private Brokers start(Path data, boolean limited) throws IOException, InterruptedException {
    BrokerProcess fjordmq = fjordmq("fjordmq", checkout, data, limited);
    try {
      return new Brokers(
          fjordmq,
          other == null
              ? BrokerProcess.mosquitto(data.resolve("other"))
              : fjordmq("other", other, data, limited));
    } catch (IOException | InterruptedException | RuntimeException e) {
      fjordmq.close();
      throw e;
    }
  }

  private static BrokerProcess fjordmq(String name, Path checkout, Path directory, boolean limited)
      throws IOException, InterruptedException {
    String more =
        limited ? "" : "sessionConfig:\n  writeBytesPerSecond: 0\n  readBytesPerSecond: 0\n";
    return BrokerProcess.fjordmq(name, checkout, directory.resolve(name), more);
  }

  private static List<Workload> figures(int warm, int seconds) {
    return List.of(
        new PairFigure("clean QoS 0, 32 B", 32, 0, false, warm, seconds),
        new PairFigure("clean QoS 1, 32 B", 32, 1, false, warm, seconds),
        new PairFigure("clean QoS 1, 256 B", 256, 1, false, warm, seconds),
        new PairFigure("persistent QoS 1, 256 B", 256, 1, true, warm, seconds),
        new ShareFigure(warm, seconds),
        new FanOutFigure(0),
        new FanOutFigure(1),
        new IdleFigure(),
        new ReconnectFigure(),
        new DrainFigure());
  }

  /** The measures of all runs of both brokers. */
  private static final class Results {
    private final Map<String, List<Measures>> byBroker = new LinkedHashMap<>();

    void add(BrokerProcess broker, Measures measures) {
      List<Measures> runs = byBroker.computeIfAbsent(broker.name(), name -> new ArrayList<>());
      runs.add(measures);
      System.out.printf("  run %-6d %-10s %s%n", runs.size(), broker.name(), measures);
    }

    void print() {
      byBroker.forEach(
          (name, runs) ->
              System.out.printf("  median     %-10s %s%n", name, Measures.median(runs)));
      List<List<Measures>> both = List.copyOf(byBroker.values());
      System.out.printf(
          "  ratio                 %s%n", Measures.medianRatios(both.get(0), both.get(1)));
    }
  }

  /** Two running brokers with alternating load. */
  private record Brokers(BrokerProcess fjordmq, BrokerProcess next) implements AutoCloseable {

    List<BrokerProcess> both() {
      return List.of(fjordmq, next);
    }

    void starts() {
      for (BrokerProcess broker : both()) {
        System.out.printf(
            Locale.ROOT,
            "%-10s start to first CONNACK %.2f s, idle memory %.0f MB%n",
            broker.name(),
            broker.startSeconds(),
            broker.idleKilobytes() / 1024.0);
      }
    }

    /**
     * Until the JVM has compiled its hot code, the first rows would measure the compiler. The
     * startup figures cover a cold broker.
     */
    void warmUp() throws Exception {
      for (BrokerProcess broker : both()) {
        try (ClientLoops loops = new ClientLoops(broker.address(), CLIENT_THREADS)) {
          new PairFigure("warm-up", 32, 1, false, 0, WARM_UP_SECONDS).run(loops, broker.pid());
        }
      }
    }

    void measure(Workload workload, Results results) throws Exception {
      for (BrokerProcess broker : both()) {
        try (ClientLoops loops = new ClientLoops(broker.address(), CLIENT_THREADS)) {
          results.add(broker, workload.run(loops, broker.pid()));
        }
      }
    }

    @Override
    public void close() {
      next.close();
      fjordmq.close();
    }
  }
}
