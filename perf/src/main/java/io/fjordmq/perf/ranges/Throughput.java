package io.fjordmq.perf.ranges;

import io.fjordmq.perf.ClientLoops;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Measures the throughput of a node with its inboxes in 1, 2, 4, 8 and 16 fixed ranges, and with
 * automatic splits. There is one node for each, all running all the time; the load goes to one
 * after the other, in many short rounds, because the noise of a host lasts longer than a round.
 */
final class Throughput {
  private static final List<Integer> BY_HAND = List.of(1, 2, 4, 8, 16);
  private static final int PAIRS = 160;
  private static final int PARTS = 16;
  private static final int PAYLOAD_BYTES = 256;
  private static final int CLIENT_THREADS = 2;

  /** Automatic ranges are stable if they have not changed under load for this long. */
  private static final int STANDS_SECONDS = 30;

  private static final int SHAPE_SECONDS = 300;
  private static final String STORE = "inbox";

  private final Path checkout;
  private final int seconds;
  private final int warmSeconds;

  /**
   * @param seconds measured in each round
   * @param warmSeconds load on each node before the first round
   */
  Throughput(Path checkout, int seconds, int warmSeconds) {
    this.checkout = checkout;
    this.seconds = seconds;
    this.warmSeconds = warmSeconds;
  }

  private record Variant(String name, RangedNode node, List<SaturatedThroughput> rounds) {}

  /** Prints a table; returns its rows. */
  List<Map<String, Object>> measure(int rounds) throws Exception {
    Path directory = Files.createTempDirectory("fjordmq-ranges");
    System.out.println("data and logs below " + directory);
    List<Variant> variants = new ArrayList<>();
    try {
      for (int ranges : BY_HAND) {
        variants.add(start(ranges + " fixed", directory, RangedNode.byHand(ranges)));
      }
      variants.add(start("automatic", directory, RangedNode.AUTOMATIC));
      long faults = 0;
      for (Variant variant : variants) {
        faults += warm(variant);
      }
      for (int round = 0; round < rounds; round++) {
        for (Variant variant : variants) {
          faults += round(variant);
        }
      }
      System.out.printf("lost, duplicated or out of order: %d%n", faults);
      return table(variants);
    } finally {
      variants.forEach(variant -> variant.node.close());
    }
  }

  private Variant start(String name, Path directory, String shape) throws Exception {
    Path folder = directory.resolve(name.replace(' ', '-'));
    return new Variant(name, RangedNode.start(name, checkout, folder, shape), new ArrayList<>());
  }

  private ClosedPairs begin(ClientLoops loops, Variant variant) throws Exception {
    return ClosedPairs.begin(
        loops, variant.node.process().pid(), EvenNames.of("s", PAIRS, PARTS), PAYLOAD_BYTES);
  }

  private static ClientLoops loops(Variant variant) {
    return new ClientLoops(variant.node.process().address(), CLIENT_THREADS);
  }

  /** Runs load until the JVM has compiled the hot code and the ranges are stable. */
  private long warm(Variant variant) throws Exception {
    try (ClientLoops loops = loops(variant);
        ClosedPairs load = begin(loops, variant)) {
      int ranges = variant.node.ranges(STORE);
      int stood = 0;
      int waited = 0;
      while (waited < warmSeconds || stood < STANDS_SECONDS && waited < SHAPE_SECONDS) {
        TimeUnit.SECONDS.sleep(1);
        waited++;
        int now = variant.node.ranges(STORE);
        stood = now == ranges ? stood + 1 : 0;
        ranges = now;
      }
      System.out.printf("%s: %d inbox range(s) after %d s%n", variant.name, ranges, waited);
      return load.faults();
    }
  }

  private long round(Variant variant) throws Exception {
    try (ClientLoops loops = loops(variant);
        ClosedPairs load = begin(loops, variant)) {
      TimeUnit.SECONDS.sleep(1); // leave connecting out of the measurement
      SaturatedThroughput saturatedThroughput = load.count(seconds);
      variant.rounds.add(saturatedThroughput);
      System.out.println("  " + variant.name + ": " + saturatedThroughput);
      return load.faults();
    }
  }

  private static double median(Variant variant, ToDoubleFunction<SaturatedThroughput> figure) {
    double[] values = variant.rounds.stream().mapToDouble(figure).sorted().toArray();
    return values[values.length / 2];
  }

  private List<Map<String, Object>> table(List<Variant> variants) throws Exception {
    double best =
        variants.stream()
            .limit(BY_HAND.size())
            .mapToDouble(variant -> median(variant, SaturatedThroughput::messagesPerSecond))
            .max()
            .orElseThrow();
    System.out.printf(
        Locale.ROOT,
        "%npersistent QoS 1, %d B, %d pairs, fsync, one node; medians%n%-12s %6s %12s %8s %10s %8s"
            + " %8s%n",
        PAYLOAD_BYTES,
        PAIRS,
        "ranges",
        "inbox",
        "msg/s in+out",
        "of best",
        "CPU µs/msg",
        "p50 ms",
        "p99 ms");
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Variant variant : variants) {
      Map<String, Object> row = new LinkedHashMap<>();
      double carried = median(variant, SaturatedThroughput::messagesPerSecond);
      row.put("ranges", variant.name);
      row.put("inboxRanges", variant.node.ranges(STORE));
      row.put("messagesPerSecond", carried);
      row.put("ofBestByHand", carried / best);
      row.put("cpuMicrosPerMessage", median(variant, SaturatedThroughput::cpuMicros));
      row.put("p50Millis", median(variant, SaturatedThroughput::p50Millis));
      row.put("p99Millis", median(variant, SaturatedThroughput::p99Millis));
      row.put("rounds", variant.rounds.stream().map(round -> round.messagesPerSecond()).toList());
      rows.add(row);
      System.out.printf(
          Locale.ROOT,
          "%-12s %6d %12.0f %8.2f %10.1f %8.1f %8.1f%n",
          row.values().stream().limit(7).toArray());
    }
    return rows;
  }
}
