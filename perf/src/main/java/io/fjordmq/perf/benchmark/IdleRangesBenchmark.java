package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.testing.LocalServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures the cost of idle ranges: compares a node with the minimum number of ranges, one per
 * store, with a node that has many more inbox ranges. Both run at the same time.
 */
final class IdleRangesBenchmark {
  private static final Pattern USED = Pattern.compile("(?m)^\\w.*total \\d+K, used (\\d+)K");

  private IdleRangesBenchmark() {}

  static void run(BenchmarkRun run) throws Exception {
    int more = run.number("ranges");
    int seconds = run.settings().seconds();
    try (RunningBroker few = run.startNode("one range per store", settings(1));
        RunningBroker many = run.startNode(more + " more inbox ranges", settings(1 + more))) {
      List<RunningBroker> nodes = List.of(few, many);
      TimeUnit.SECONDS.sleep(run.settings().warmSeconds());
      for (int i = 0; i < run.settings().runs(); i++) {
        long[] before = nodes.stream().mapToLong(IdleRangesBenchmark::cpuMicros).toArray();
        TimeUnit.SECONDS.sleep(seconds);
        long[] after = nodes.stream().mapToLong(IdleRangesBenchmark::cpuMicros).toArray();
        for (int node = 0; node < nodes.size(); node++) {
          double cpuMillis = (after[node] - before[node]) / 1e3 / seconds;
          run.add(
              memoryOf(nodes.get(node))
                  .put(ResultMetric.IDLE_CPU_MS, cpuMillis)
                  .result(nodes.get(node).name()));
        }
      }
    }
  }

  private static String settings(int inboxRanges) {
    return RangeThroughputBenchmark.fixedRanges(inboxRanges)
        + "routerConfig: {initialRanges: 1}\nretainConfig: {initialRanges: 1}\n";
  }

  private static long cpuMicros(RunningBroker node) {
    return ProcessUsage.of(node.pid()).cpuMicros();
  }

  private static Measurement memoryOf(RunningBroker node) throws Exception {
    long pid = node.pid();
    final double residentMb = ProcessUsage.of(pid).residentKilobytes() / 1024.0;
    final double heapMb = heapMb(pid);
    int ranges = 0;
    for (String store : List.of("dist", "inbox", "retain")) {
      ranges += RangeThroughputBenchmark.rangesLed(node, store);
    }
    return new Measurement()
        .put(ResultMetric.RANGES, ranges)
        .put(ResultMetric.MEMORY_MB, residentMb)
        .put(ResultMetric.COLLECTED_MB, ProcessUsage.of(pid).residentKilobytes() / 1024.0)
        .put(ResultMetric.HEAP_MB, heapMb)
        .put(ResultMetric.THREADS, threads(pid));
  }

  /** Returns the heap in use after a garbage collection, in MiB. */
  static double heapMb(long pid) throws IOException, InterruptedException {
    jcmd(pid, "GC.run");
    Matcher used = USED.matcher(jcmd(pid, "GC.heap_info"));
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

  /** Runs jcmd of the JDK that the node runs on. */
  private static String jcmd(long pid, String command) throws IOException, InterruptedException {
    Path java = Path.of("/proc", Long.toString(pid), "exe").toRealPath();
    String jcmd = java.resolveSibling("jcmd").toString();
    return LocalServer.client(List.of(jcmd, Long.toString(pid), command), Map.of(), List.of());
  }
}
