package io.fjordmq.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What several copies of everything cost: three nodes on this machine, persistent QoS 1 load to one
 * of them, with one voter for each range and with three, in turn. CPU and memory are those of all
 * nodes together, which share the machine's processors and its disk with the load.
 *
 * <p>{@code ClusterFigures CHECKOUT RATE RUNS SECONDS WARM_SECONDS}; started by {@code
 * bin/cluster-figures.sh}.
 */
public final class ClusterFigures {
  private static final int NODES = 3;
  private static final int PAIRS = 50;
  private static final int CLIENT_THREADS = 2;

  private ClusterFigures() {}

  /** See the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 5) {
      throw new IllegalArgumentException(
          "usage: ClusterFigures CHECKOUT RATE RUNS SECONDS WARM_SECONDS");
    }
    int rate = Integer.parseInt(args[1]);
    int runs = Integer.parseInt(args[2]);
    PairWork work =
        new PairWork(
            "persistent QoS 1, 256 B",
            PAIRS,
            rate,
            256,
            1,
            true,
            Integer.parseInt(args[4]),
            Integer.parseInt(args[3]));
    for (int run = 0; run < runs; run++) {
      for (int voters : List.of(1, 3)) {
        measure(Path.of(args[0]), work, voters);
      }
    }
  }

  private static void measure(Path checkout, PairWork work, int voters) throws Exception {
    Path directory = Files.createTempDirectory("fjordmq-cluster-figures");
    List<BrokerProcess> nodes = new ArrayList<>();
    try {
      start(checkout, directory, voters, nodes);
      System.out.printf(
          Locale.ROOT,
          "%d voter(s), idle: %s MB%n",
          voters,
          nodes.stream()
              .map(node -> Long.toString(node.idleKilobytes() / 1024))
              .collect(Collectors.joining(", ")));
      try (ClientLoops loops = new ClientLoops(nodes.get(0).address(), CLIENT_THREADS)) {
        print(
            voters,
            work,
            new PairLoad(work).run(loops, nodes.stream().map(BrokerProcess::pid).toList()));
      }
    } finally {
      Collections.reverse(nodes);
      nodes.forEach(BrokerProcess::close);
    }
  }

  private static void start(Path checkout, Path directory, int voters, List<BrokerProcess> nodes)
      throws IOException, InterruptedException {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < NODES) {
      ports.add(BrokerProcess.freeClusterPort());
    }
    String seeds = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    for (int port : ports) {
      String name = "node" + (nodes.size() + 1);
      nodes.add(
          BrokerProcess.clusterNode(
              name, checkout, directory.resolve(name), nodes.isEmpty(), port, seeds, voters));
    }
  }

  private static void print(int voters, PairWork work, PairResult result) {
    System.out.printf(
        Locale.ROOT,
        "%d voter(s), %s, %d pairs x %d/s: %.0f msg/s in+out; %.2f us CPU/msg of all nodes; PUBACK p50"
            + " %.2f p99 %.2f ms; deliver p50 %.2f p99 %.2f ms; %.0f B written/msg; %.0f MB; missing %d dup"
            + " %d disorder %d%n",
        voters,
        work.name(),
        work.pairs(),
        work.ratePerSecond(),
        (result.sent() + result.received()) / (double) result.seconds(),
        result.cpuMicrosPerMessage(),
        result.acknowledgement().getValueAtPercentile(50) / 1000.0,
        result.acknowledgement().getValueAtPercentile(99) / 1000.0,
        result.delivery().getValueAtPercentile(50) / 1000.0,
        result.delivery().getValueAtPercentile(99) / 1000.0,
        result.writtenBytesPerMessage(),
        result.residentKilobytes() / 1024.0,
        result.missing(),
        result.duplicated(),
        result.outOfOrder());
  }
}
