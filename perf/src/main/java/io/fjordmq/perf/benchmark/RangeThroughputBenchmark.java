package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.load.RunStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Compares the throughput of nodes whose inboxes are in fixed numbers of ranges with that of a node
 * with automatic splits. Each variant has its own node, and all nodes run all the time. The load
 * goes to each node in turn, in many short rounds: noise of the host lasts longer than a round, so
 * it affects all variants alike.
 */
final class RangeThroughputBenchmark {
  private static final int PARTS = 16;
  private static final int PAYLOAD_BYTES = 256;
  private static final int CLIENT_THREADS = 2;
  private static final String AUTOMATIC = "automatic";

  /** Automatic ranges are stable if they have not changed under load for this long. */
  private static final int STABLE_SECONDS = 30;

  private static final int MAX_WARM_SECONDS = 300;
  private static final int METRICS_SECONDS = 10;

  private final BenchmarkRun run;
  private final List<String> clientIds;

  /** Faults of the warm-up, to be reported with the first result. */
  private final List<String> faults = new ArrayList<>();

  private RangeThroughputBenchmark(BenchmarkRun run) {
    this.run = run;
    this.clientIds = EvenClientIds.of("s", run.number("pairs"), PARTS);
  }

  static void run(BenchmarkRun run) throws Exception {
    RangeThroughputBenchmark benchmark = new RangeThroughputBenchmark(run);
    List<RunningBroker> nodes = new ArrayList<>();
    for (int ranges : run.numbers("ranges")) {
      nodes.add(run.startNode(ranges + " fixed", fixedRanges(ranges)));
    }
    nodes.add(run.startNode(AUTOMATIC, ""));
    for (RunningBroker node : nodes) {
      benchmark.warmUp(node);
    }
    for (int i = 0; i < run.settings().runs(); i++) {
      for (RunningBroker node : nodes) {
        run.add(benchmark.measureRound(node));
      }
    }
    benchmark.compareWithBest();
  }

  /** Returns settings for a fixed number of inbox ranges of equal size, 1 to 4,096. */
  static String fixedRanges(int inboxRanges) {
    return """
    storeConfig:
      dist: {splitByLoad: false}
      inbox: {splitByLoad: false}
      retain: {splitByLoad: false}
    splitConfig: {mergeAfter: 0 s}
    inboxConfig: {initialRanges: %d}
    """
        .formatted(inboxRanges);
  }

  /** Returns how many ranges of a store a node leads. */
  static int rangesLed(RunningBroker node, String store) throws Exception {
    List<Integer> led = node.watch().rangesLed(store).get(METRICS_SECONDS, TimeUnit.SECONDS);
    if (led.isEmpty()) {
      throw new IOException(node.name() + " does not report at /metrics how many ranges it leads");
    }
    return led.get(0);
  }

  /** Runs load until the JVM has compiled the hot code and the ranges are stable. */
  private void warmUp(RunningBroker node) throws Exception {
    int stableSeconds = Math.min(STABLE_SECONDS, run.settings().warmSeconds());
    try (ClientLoops loops = node.loops(CLIENT_THREADS);
        ClosedLoopPairs load = ClosedLoopPairs.start(loops, node.pid(), clientIds, PAYLOAD_BYTES)) {
      int ranges = rangesLed(node, "inbox");
      int stable = 0;
      int waited = 0;
      while (waited < run.settings().warmSeconds()
          || stable < stableSeconds && waited < MAX_WARM_SECONDS) {
        TimeUnit.SECONDS.sleep(1);
        waited++;
        int now = rangesLed(node, "inbox");
        stable = now == ranges ? stable + 1 : 0;
        ranges = now;
      }
      run.progress("%s: %d inbox ranges after %d s".formatted(node.name(), ranges, waited));
      faults.addAll(load.measure(1).result("warm-up of " + node.name()).faults());
    }
  }

  private RunResult measureRound(RunningBroker node) throws Exception {
    try (ClientLoops loops = node.loops(CLIENT_THREADS);
        ClosedLoopPairs load = ClosedLoopPairs.start(loops, node.pid(), clientIds, PAYLOAD_BYTES)) {
      TimeUnit.SECONDS.sleep(1); // exclude connecting from the measurement
      RunResult result =
          load.measure(run.settings().seconds())
              .put(ResultMetric.RANGES, rangesLed(node, "inbox"))
              .result(node.name());
      List<String> warmUp = List.copyOf(faults);
      faults.clear();
      return result.with(warmUp, List.of());
    }
  }

  /**
   * Adds a note to the report: the throughput with automatic splits relative to the best fixed
   * number of ranges.
   */
  private void compareWithBest() {
    double best =
        run.results().stream()
            .map(RunResult::broker)
            .filter(node -> !node.equals(AUTOMATIC))
            .mapToDouble(this::medianThroughput)
            .max()
            .orElse(1);
    run.note(
        "automatic splits reach %.2f of the throughput of the best fixed number of ranges"
            .formatted(medianThroughput(AUTOMATIC) / best));
  }

  private double medianThroughput(String node) {
    return RunStatistics.median(RunStatistics.values(run.results(), node, ResultMetric.THROUGHPUT));
  }
}
