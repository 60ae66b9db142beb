package io.fjordmq.perf.ranges;

import io.fjordmq.perf.ProcessUsage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures the cost of idle ranges: a node with the minimum, one per store, next to a node with
 * many more inbox ranges. Both run at the same time.
 */
final class IdleRanges {
  private static final int SETTLE_SECONDS = 60;
  private static final Pattern USED = Pattern.compile("(?m)^\\w.*total \\d+K, used (\\d+)K");

  private final Path checkout;
  private final int more;
  private final int seconds;

  /**
   * @param more additional ranges of the second node
   * @param seconds CPU is measured
   */
  IdleRanges(Path checkout, int more, int seconds) {
    this.checkout = checkout;
    this.more = more;
    this.seconds = seconds;
  }

  /**
   * @param residentMb before a garbage collection is requested
   * @param collectedMb after it
   * @param heapMb used after it
   * @param cpuPercent of one core
   */
  private record Taken(
      double residentMb, double collectedMb, double heapMb, double threads, double cpuPercent) {}

  private record Variant(String name, RangedNode node, List<Taken> rounds) {}

  /** Prints a table; returns its rows. */
  List<Map<String, Object>> measure(int rounds) throws Exception {
    Path directory = Files.createTempDirectory("fjordmq-ranges");
    System.out.println("data and logs below " + directory);
    List<Variant> variants = new ArrayList<>();
    try {
      variants.add(start("one of each store", directory.resolve("few"), 1));
      variants.add(start(more + " more for inboxes", directory.resolve("many"), 1 + more));
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      for (int round = 0; round < rounds; round++) {
        List<Double> cpu = cpuPercent(variants);
        for (int i = 0; i < variants.size(); i++) {
          variants.get(i).rounds.add(taken(variants.get(i).node.process().pid(), cpu.get(i)));
        }
      }
      return table(variants);
    } finally {
      variants.forEach(variant -> variant.node.close());
    }
  }

  private Variant start(String name, Path folder, int ranges) throws Exception {
    String shape =
        RangedNode.byHand(ranges)
            + "routerConfig:\n  initialRanges: 1\nretainConfig:\n  initialRanges: 1\n";
    return new Variant(name, RangedNode.start(name, checkout, folder, shape), new ArrayList<>());
  }

  private List<Double> cpuPercent(List<Variant> variants) throws InterruptedException {
    List<Long> before = variants.stream().map(v -> cpuMicros(v.node.process().pid())).toList();
    TimeUnit.SECONDS.sleep(seconds);
    List<Double> percent = new ArrayList<>();
    for (int i = 0; i < variants.size(); i++) {
      long used = cpuMicros(variants.get(i).node.process().pid()) - before.get(i);
      percent.add(used / 1e4 / seconds);
    }
    return percent;
  }

  private static long cpuMicros(long pid) {
    return ProcessUsage.of(pid).cpuMicros();
  }

  private static Taken taken(long pid, double cpuPercent) throws Exception {
    double resident = ProcessUsage.of(pid).residentKilobytes() / 1024.0;
    jcmd(pid, "GC.run");
    return new Taken(
        resident,
        ProcessUsage.of(pid).residentKilobytes() / 1024.0,
        heapMb(jcmd(pid, "GC.heap_info")),
        threads(pid),
        cpuPercent);
  }

  private static double heapMb(String info) {
    Matcher used = USED.matcher(info);
    double sum = 0;
    while (used.find()) {
      sum += Long.parseLong(used.group(1)) / 1024.0;
    }
    return sum;
  }

  private static long threads(long pid) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      return tasks.count();
    }
  }

  /** Uses the JDK of the node. */
  private static String jcmd(long pid, String command) throws IOException, InterruptedException {
    Path java = Path.of("/proc", Long.toString(pid), "exe").toRealPath();
    Process process =
        new ProcessBuilder(java.resolveSibling("jcmd").toString(), Long.toString(pid), command)
            .redirectErrorStream(true)
            .start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("jcmd " + command + " failed: " + answer);
    }
    return answer;
  }

  private static double median(Variant variant, ToDoubleFunction<Taken> figure) {
    double[] values = variant.rounds.stream().mapToDouble(figure).sorted().toArray();
    return values[values.length / 2];
  }

  private static List<Map<String, Object>> table(List<Variant> variants) throws Exception {
    System.out.printf(
        "%nno clients; medians%n%-20s %6s %8s %12s %8s %8s %12s%n",
        "ranges", "all", "RSS MB", "after GC MB", "heap MB", "threads", "% of a core");
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Variant variant : variants) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("ranges", variant.name);
      int all = 0;
      for (String store : List.of("dist", "inbox", "retain")) {
        all += variant.node.ranges(store);
      }
      row.put("allRanges", all);
      row.put("residentMb", median(variant, Taken::residentMb));
      row.put("collectedMb", median(variant, Taken::collectedMb));
      row.put("heapMb", median(variant, Taken::heapMb));
      row.put("threads", median(variant, Taken::threads));
      row.put("cpuPercent", median(variant, Taken::cpuPercent));
      rows.add(row);
      System.out.printf(
          Locale.ROOT, "%-20s %6d %8.1f %12.1f %8.1f %8.0f %12.2f%n", row.values().toArray());
    }
    return rows;
  }
}
