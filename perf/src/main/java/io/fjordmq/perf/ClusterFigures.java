package io.fjordmq.perf;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Measures the cost of replication: three nodes on this host with persistent QoS 1 load,
 * alternating between one and three voters per range. First without clients, then at a higher and
 * at a low rate, then the highest rate that is sustained. CPU and memory are those of all nodes
 * together, which share processors and disk with the load tool.
 *
 * <p>{@code ClusterFigures CHECKOUT RATE RUNS SECONDS WARM_SECONDS one|all}; started by {@code
 * bin/cluster-figures.sh}.
 */
public final class ClusterFigures {
  private static final int NODES = 3;
  private static final int PAIRS = 50;
  private static final int CLIENT_THREADS = 2;

  /** The higher rate and the highest rate to try, as multiples of the low rate. */
  private static final int HIGHER = 4;

  private static final int HIGHEST = 100;
  private static final List<String> BOTH = List.of("1", "3");
  private static final int TRY_SECONDS = 5;

  private final Path checkout;
  private final int rate;
  private final int seconds;
  private final int warmSeconds;
  private final boolean everywhere;
  private int loads;

  private ClusterFigures(String[] args) {
    this.checkout = Path.of(args[0]);
    this.rate = Integer.parseInt(args[1]);
    this.seconds = Integer.parseInt(args[3]);
    this.warmSeconds = Integer.parseInt(args[4]);
    this.everywhere = args[5].equals("all");
  }

  /** Runs the benchmark; see the class. */
  public static void main(String[] args) throws Exception {
    if (args.length < 6
        || !List.of("one", "all").contains(args[5])
        || !Set.of("1", "3").containsAll(List.of(args).subList(6, args.length))) {
      throw new IllegalArgumentException(
          "usage: ClusterFigures CHECKOUT RATE RUNS SECONDS WARM_SECONDS one|all [VOTERS...]");
    }
    ClusterFigures figures = new ClusterFigures(args);
    for (int run = 0; run < Integer.parseInt(args[2]); run++) {
      for (String voters : args.length > 6 ? List.of(args).subList(6, args.length) : BOTH) {
        figures.measure(Integer.parseInt(voters));
      }
    }
  }

  private PairWork work(int ratePerSecond, int warm, int counted) {
    return new PairWork(
        "persistent QoS 1, 256 B, clients of " + (everywhere ? "all nodes" : "one node"),
        PAIRS,
        ratePerSecond,
        256,
        1,
        true,
        warm,
        counted);
  }

  private void measure(int voters) throws Exception {
    Path directory = Files.createTempDirectory("fjordmq-cluster-figures");
    List<BrokerProcess> nodes = new ArrayList<>();
    try {
      start(checkout, directory, voters, nodes);
      List<Long> pids = nodes.stream().map(BrokerProcess::pid).toList();
      double idle = idle(voters, nodes, pids);
      List<InetSocketAddress> addresses =
          nodes.stream().map(BrokerProcess::address).limit(everywhere ? NODES : 1).toList();
      try (ClientLoops loops = new ClientLoops(addresses, CLIENT_THREADS, null)) {
        // The higher rate first, because the low one would mostly measure JIT compilation.
        steady(voters, work(rate * HIGHER, warmSeconds, seconds), idle, loops, pids);
        steady(voters, work(rate, TRY_SECONDS, seconds), idle, loops, pids);
        highest(voters, loops, pids);
      }
    } finally {
      Collections.reverse(nodes);
      nodes.forEach(BrokerProcess::close);
    }
  }

  /** CPU of all nodes without clients, in microseconds per second. */
  private double idle(int voters, List<BrokerProcess> nodes, List<Long> pids)
      throws InterruptedException {
    long before = ProcessUsage.of(pids).cpuMicros();
    TimeUnit.SECONDS.sleep(seconds);
    double idle = (ProcessUsage.of(pids).cpuMicros() - before) / (double) seconds;
    System.out.printf(
        Locale.ROOT,
        "%d voter(s), no clients: %.1f ms CPU/s of all nodes; %s MB%n",
        voters,
        idle / 1000,
        nodes.stream()
            .map(node -> Long.toString(node.idleKilobytes() / 1024))
            .collect(Collectors.joining(", ")));
    return idle;
  }

  private void steady(int voters, PairWork work, double idle, ClientLoops loops, List<Long> pids)
      throws Exception {
    print(voters, work, run(work, loops, pids), idle);
  }

  private PairResult run(PairWork work, ClientLoops loops, List<Long> pids) throws Exception {
    return new PairLoad(work, "load" + ++loads + "-").run(loops, pids);
  }

  private void highest(int voters, ClientLoops loops, List<Long> pids) throws Exception {
    RateSearch search = new RateSearch(rate * HIGHER, rate * HIGHEST);
    String latency = "";
    while (search.hasNext()) {
      PairWork work = work(search.next(), TRY_SECONDS, TRY_SECONDS);
      PairResult result = run(work, loops, pids);
      if (result.isHeld(work)) {
        latency = latency(result);
      }
      search.tried(result.isHeld(work));
    }
    System.out.printf(
        Locale.ROOT,
        "%d voter(s), highest rate sustained for %d s: %d msg/s in+out; %s%n",
        voters,
        TRY_SECONDS,
        2 * PAIRS * search.held(),
        latency);
  }

  private static void start(Path checkout, Path directory, int voters, List<BrokerProcess> nodes)
      throws IOException, InterruptedException {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < NODES) {
      ports.add(FreePorts.forCluster());
    }
    String seeds = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    for (int port : ports) {
      String name = "node" + (nodes.size() + 1);
      nodes.add(
          BrokerProcess.clusterNode(
              name, checkout, directory.resolve(name), nodes.isEmpty(), port, seeds, voters));
    }
  }

  private static void print(int voters, PairWork work, PairResult result, double idle) {
    double messages = (double) result.sent() + result.received();
    System.out.printf(
        Locale.ROOT,
        "%d voter(s), %s, %d pairs x %d/s: %.0f msg/s in+out; %.1f us CPU/msg of all nodes, %.1f"
            + " without idle CPU; %s; %.0f B written/msg; %.0f MB; missing %d dup %d"
            + " reordered %d%n",
        voters,
        work.name(),
        work.pairs(),
        work.ratePerSecond(),
        messages / result.seconds(),
        result.cpuMicrosPerMessage(),
        result.cpuMicrosPerMessage() - idle * result.seconds() / Math.max(1, messages),
        latency(result),
        result.writtenBytesPerMessage(),
        result.residentKilobytes() / 1024.0,
        result.missing(),
        result.duplicated(),
        result.outOfOrder());
  }

  private static String latency(PairResult result) {
    return String.format(
        Locale.ROOT,
        "PUBACK p50 %.2f p99 %.2f ms; deliver p50 %.2f p99 %.2f ms",
        result.acknowledgement().getValueAtPercentile(50) / 1000.0,
        result.acknowledgement().getValueAtPercentile(99) / 1000.0,
        result.delivery().getValueAtPercentile(50) / 1000.0,
        result.delivery().getValueAtPercentile(99) / 1000.0);
  }
}
