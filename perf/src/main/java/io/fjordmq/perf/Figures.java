package io.fjordmq.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measures this broker next to mosquitto: both run at once, the load goes to one and the other in
 * turn, and what is printed are medians of the runs and of their ratios, because the machines this
 * runs on are noisy.
 *
 * <p>{@code Figures CHECKOUT OTHER ONLY RUNS SECONDS WARM_SECONDS}; started by {@code
 * bin/figures.sh}. OTHER is a checkout that takes mosquitto's place, to see what a change brings;
 * ONLY is how the name of the work to measure begins; both may be empty.
 */
public final class Figures {
  private static final int WARM_UP_SECONDS = 60;
  private static final int CLIENT_THREADS = 2;

  private final int runs;
  private final List<BrokerProcess> brokers;

  private Figures(int runs, List<BrokerProcess> brokers) {
    this.runs = runs;
    this.brokers = brokers;
  }

  /** See the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 6) {
      throw new IllegalArgumentException(
          "usage: Figures CHECKOUT OTHER ONLY RUNS SECONDS WARM_SECONDS");
    }
    int runs = Integer.parseInt(args[3]);
    List<Figure> chosen =
        figures(Integer.parseInt(args[5]), Integer.parseInt(args[4])).stream()
            .filter(figure -> figure.name().startsWith(args[2]))
            .toList();
    boolean start = StartWithQueues.NAME.startsWith(args[2]);
    if (chosen.isEmpty() && !start) {
      throw new IllegalArgumentException("nothing to measure begins with '" + args[2] + "'");
    }
    Path directory = Files.createTempDirectory("fjordmq-figures");
    System.out.println("data and logs below " + directory);
    Path checkout = Path.of(args[0]);
    Path other = args[1].isEmpty() ? null : Path.of(args[1]);
    for (boolean limited : new boolean[] {true, false}) {
      List<Figure> these = chosen.stream().filter(f -> f.limited() == limited).toList();
      if (!these.isEmpty()) {
        measure(these, runs, checkout, other, directory.resolve(limited ? "usual" : "unlimited"));
      }
    }
    if (start) {
      new StartWithQueues(checkout, directory.resolve("start")).measure(runs);
    }
  }

  private static void measure(
      List<Figure> chosen, int runs, Path checkout, @Nullable Path other, Path directory)
      throws Exception {
    boolean limited = chosen.get(0).limited();
    try (BrokerProcess fjordmq = fjordmq("fjordmq", checkout, directory, limited);
        BrokerProcess next =
            other == null
                ? BrokerProcess.mosquitto(directory.resolve("other"))
                : fjordmq("other", other, directory, limited)) {
      Figures figures = new Figures(runs, List.of(fjordmq, next));
      figures.starts();
      if (chosen.stream().anyMatch(Figure::repeatable)) {
        figures.warmUp();
      }
      for (Figure figure : chosen) {
        System.out.printf("%n%s%n", figure.name());
        figures.measure(figure);
      }
    }
  }

  private static BrokerProcess fjordmq(String name, Path checkout, Path directory, boolean limited)
      throws IOException, InterruptedException {
    String more =
        limited ? "" : "sessionConfig:\n  writeBytesPerSecond: 0\n  readBytesPerSecond: 0\n";
    return BrokerProcess.fjordmq(name, checkout, directory.resolve(name), more);
  }

  private static List<Figure> figures(int warm, int seconds) {
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

  /**
   * A JVM needs some time on two cores until it has compiled what is hot, and the first rows would
   * show the compiler instead of the broker. What a cold broker does the starts show.
   */
  private void warmUp() throws Exception {
    for (BrokerProcess broker : brokers) {
      try (ClientLoops loops = new ClientLoops(broker.address(), CLIENT_THREADS)) {
        new PairFigure("warm-up", 32, 1, false, 0, WARM_UP_SECONDS).run(loops, broker.pid());
      }
    }
  }

  private void starts() {
    for (BrokerProcess broker : brokers) {
      System.out.printf(
          Locale.ROOT,
          "%-10s start to first CONNACK %.2f s, idle memory %.0f MB%n",
          broker.name(),
          broker.startSeconds(),
          broker.idleKilobytes() / 1024.0);
    }
  }

  private void measure(Figure figure) throws Exception {
    List<List<Measures>> results = List.of(new ArrayList<>(), new ArrayList<>());
    for (int run = 0; run < (figure.repeatable() ? runs : 1); run++) {
      for (int i = 0; i < brokers.size(); i++) {
        BrokerProcess broker = brokers.get(i);
        try (ClientLoops loops = new ClientLoops(broker.address(), CLIENT_THREADS)) {
          results.get(i).add(figure.run(loops, broker.pid()));
        }
      }
    }
    for (int i = 0; i < brokers.size(); i++) {
      System.out.printf("  %-10s %s%n", brokers.get(i).name(), Measures.median(results.get(i)));
    }
    System.out.printf("  ratio      %s%n", Measures.medianRatios(results.get(0), results.get(1)));
  }
}
