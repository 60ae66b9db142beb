package io.fjordmq.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

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
  private static final int PAIRS = 100;
  private static final int RATE = 100;
  private static final int IDLE_BASE = 1_000;
  private static final int IDLE_TOTAL = 9_000;
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
    String only = args[2];
    int runs = Integer.parseInt(args[3]);
    int seconds = Integer.parseInt(args[4]);
    int warm = Integer.parseInt(args[5]);
    Path directory = Files.createTempDirectory("fjordmq-figures");
    System.out.println("data and logs below " + directory);
    try (BrokerProcess fjordmq =
            BrokerProcess.fjordmq("fjordmq", Path.of(args[0]), directory.resolve("fjordmq"));
        BrokerProcess other = other(args[1], directory.resolve("other"))) {
      Figures figures = new Figures(runs, List.of(fjordmq, other));
      figures.starts();
      for (PairWork work : works(warm, seconds)) {
        if (work.name().startsWith(only)) {
          figures.pairs(work);
        }
      }
      if ("idle".startsWith(only)) {
        figures.idle();
      }
    }
  }

  private static BrokerProcess other(String checkout, Path directory)
      throws IOException, InterruptedException {
    return checkout.isEmpty()
        ? BrokerProcess.mosquitto(directory)
        : BrokerProcess.fjordmq("other", Path.of(checkout), directory);
  }

  private static List<PairWork> works(int warm, int seconds) {
    return List.of(
        new PairWork("clean QoS 0, 32 B", PAIRS, RATE, 32, 0, false, warm, seconds),
        new PairWork("clean QoS 1, 32 B", PAIRS, RATE, 32, 1, false, warm, seconds),
        new PairWork("clean QoS 1, 256 B", PAIRS, RATE, 256, 1, false, warm, seconds),
        new PairWork("persistent QoS 1, 256 B", PAIRS, RATE, 256, 1, true, warm, seconds));
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

  private void pairs(PairWork work) throws Exception {
    List<List<PairResult>> results = List.of(new ArrayList<>(), new ArrayList<>());
    for (int run = 0; run < runs; run++) {
      for (int i = 0; i < brokers.size(); i++) {
        BrokerProcess broker = brokers.get(i);
        try (ClientLoops loops = new ClientLoops(broker.address(), CLIENT_THREADS)) {
          results.get(i).add(new PairLoad(work).run(loops, List.of(broker.pid())));
        }
      }
    }
    System.out.printf(
        Locale.ROOT, "%n%s: %d pairs x %d/s%n", work.name(), work.pairs(), work.ratePerSecond());
    for (int i = 0; i < brokers.size(); i++) {
      print(brokers.get(i), results.get(i));
    }
    double[] ratios = new double[runs];
    for (int run = 0; run < runs; run++) {
      ratios[run] =
          results.get(0).get(run).cpuMicrosPerMessage()
              / results.get(1).get(run).cpuMicrosPerMessage();
    }
    System.out.printf(Locale.ROOT, "  CPU per message, ratio: median %.2f%n", median(ratios));
  }

  private static void print(BrokerProcess broker, List<PairResult> results) {
    System.out.printf(
        Locale.ROOT,
        "  %-10s %.2f us CPU/msg; %.0f msg/s in+out; deliver p50 %.2f p99 %.2f ms; PUBACK p50 %.2f"
            + " p99 %.2f ms; %.0f B written/msg; %.0f MB; missing %d dup %d disorder %d%n",
        broker.name(),
        median(results, PairResult::cpuMicrosPerMessage),
        median(results, r -> (r.sent() + r.received()) / (double) r.seconds()),
        median(results, r -> millis(r.delivery(), 50)),
        median(results, r -> millis(r.delivery(), 99)),
        median(results, r -> millis(r.acknowledgement(), 50)),
        median(results, r -> millis(r.acknowledgement(), 99)),
        median(results, PairResult::writtenBytesPerMessage),
        median(results, PairResult::residentKilobytes) / 1024,
        results.stream().mapToLong(PairResult::missing).sum(),
        results.stream().mapToLong(PairResult::duplicated).sum(),
        results.stream().mapToLong(PairResult::outOfOrder).sum());
  }

  private void idle() throws Exception {
    System.out.printf("%nidle connections, %d to %d%n", IDLE_BASE, IDLE_TOTAL);
    for (BrokerProcess broker : brokers) {
      try (ClientLoops loops = new ClientLoops(broker.address(), CLIENT_THREADS)) {
        IdleLoad.Result result = new IdleLoad().run(loops, broker.pid(), IDLE_BASE, IDLE_TOTAL);
        System.out.printf(
            Locale.ROOT,
            "  %-10s %.2f KB each; %.0f accepted/s; %.0f MB in all%n",
            broker.name(),
            result.kilobytesPerConnection(),
            result.acceptedPerSecond(),
            result.residentKilobytes() / 1024.0);
      }
    }
  }

  private static double millis(Histogram histogram, double percentile) {
    return histogram.getValueAtPercentile(percentile) / 1000.0;
  }

  private static double median(List<PairResult> results, ToDoubleFunction<PairResult> figure) {
    return median(results.stream().mapToDouble(figure).toArray());
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
