package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.testing.RecordBuilder;

/**
 * Measures the cost of replication: three nodes on this host run a persistent QoS 1 load, with each
 * number of voters per range in turn. Each cluster is measured at a high and at a low rate, then at
 * the highest rate that it sustains. CPU and memory are totals of all nodes, which share processors
 * and disk with the load tool.
 */
record ClusterBenchmark(BenchmarkRun run, int rate, int highest, boolean allNodes) {
  private static final int PAIRS = 50;

  /** The high rate, as a multiple of the low rate. */
  private static final int HIGHER = 4;

  /**
   * Maximum duration of one step of the search, and of the warm-up before the low rate; a short run
   * uses less.
   */
  private static final int MAX_ATTEMPT_SECONDS = 5;

  private static final double SUSTAINED_SHARE = 0.99;
  private static final double SUSTAINED_MILLIS = 1_000;

  static void run(BenchmarkRun run) throws Exception {
    boolean allNodes = run.choice("clients", "one", "all").equals("all");
    int rate = run.number("rate");
    int highest = Math.max(HIGHER, run.number("highest"));
    ClusterBenchmark benchmark = new ClusterBenchmark(run, rate, highest, allNodes);
    for (int i = 0; i < run.settings().runs(); i++) {
      for (int voters : run.numbers("voters")) {
        benchmark.measure(voters);
      }
    }
  }

  private Scenario scenario(int voters, int ratePerSecond) {
    return run.scenario(
        "false_%d_%d_qos1_p256_%dmps_3n_%dv".formatted(PAIRS, PAIRS, ratePerSecond, voters));
  }

  private void measure(int voters) throws Exception {
    String name = voters == 1 ? "1 voter" : voters + " voters";
    BrokerSpec spec = run.spec(name, scenario(voters, rate), "");
    try (RunningBroker broker = run.start(spec);
        ClientLoops loops = loops(broker)) {
      // The high rate comes first: without this warm-up, the low rate would mostly measure JIT
      // compilation.
      for (int perSecond : new int[] {rate * HIGHER, rate}) {
        boolean first = perSecond > rate;
        int warmUpSeconds = first ? run.settings().warmSeconds() : attemptSeconds();
        run.add(load(broker, loops, voters, perSecond, warmUpSeconds, run.settings().seconds()));
      }
      run.add(highest(broker, loops, voters));
    }
  }

  private ClientLoops loops(RunningBroker broker) {
    RunningBroker plain = broker.overTcp();
    return new ClientLoops(
        plain.addresses().subList(0, allNodes ? plain.addresses().size() : 1),
        run.settings().threads(),
        null,
        false);
  }

  private RunResult load(
      RunningBroker broker,
      ClientLoops loops,
      int voters,
      int perSecond,
      int warmUpSeconds,
      int seconds)
      throws Exception {
    String column = broker.name() + ", " + perSecond + "/s each";
    Scenario scenario = scenario(voters, perSecond);
    return run.load(broker.overTcp(), loops, column, scenario, warmUpSeconds, seconds);
  }

  private int attemptSeconds() {
    return Math.min(MAX_ATTEMPT_SECONDS, run.settings().seconds());
  }

  private RunResult highest(RunningBroker broker, ClientLoops loops, int voters) throws Exception {
    RateSearch search = new RateSearch(rate * HIGHER, rate * highest);
    RunResult best = new Measurement().result("");
    while (search.hasNext()) {
      RunResult tried =
          load(broker, loops, voters, search.next(), attemptSeconds(), attemptSeconds());
      boolean sustained = isSustained(tried, search.next());
      best = sustained ? tried : best;
      run.progress(search.next() + "/s each: " + (sustained ? "sustained" : "not sustained"));
      search.recordAttempt(sustained);
    }
    double sustained = 2.0 * PAIRS * search.sustainedRate();
    RunResult highest =
        RecordBuilder.from(best).with(RunResult::broker, broker.name() + ", highest rate").build();
    return new Measurement().put(ResultMetric.SUSTAINED, sustained).addTo(highest);
  }

  /**
   * Returns whether the broker kept up with the schedule: nearly all messages arrived, and in time.
   */
  private static boolean isSustained(RunResult result, int perSecond) {
    return result.figure(ResultMetric.RECEIVED) >= SUSTAINED_SHARE * PAIRS * perSecond
        && result.figure(ResultMetric.P99_MS) < SUSTAINED_MILLIS
        && result.figure(ResultMetric.ACK_P99_MS) < SUSTAINED_MILLIS;
  }
}
