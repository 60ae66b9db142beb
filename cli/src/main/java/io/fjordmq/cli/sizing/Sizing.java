package io.fjordmq.cli.sizing;

import io.fjordmq.cli.sizing.ClusterSize.Limit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds the smallest cluster for a workload.
 *
 * @param work the workload
 * @param node what each node has
 * @param utilization part of the cores that the workload may use on average, above 0 and up to 1;
 *     the rest is for bursts, garbage collection and compactions
 */
public record Sizing(Workload work, NodeSize node, double utilization) {
  /** Most nodes that are considered. */
  public static final int MAX_NODES = 100;

  /** Highest result of {@link #growth}. */
  public static final double MAX_GROWTH = 1_000;

  /** Changes of routes that a node applies per second, on one thread. */
  static final double MAX_ROUTE_CHANGES = 200_000;

  /** Part of the memory that remains for the operating system and its page cache. */
  private static final double MEMORY_SHARE = 0.8;

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public Sizing {
    if (utilization <= 0 || utilization > 1) {
      throw new IllegalArgumentException(
          "utilization must be above 0 and at most 1, not " + utilization);
    }
    if (node.cores() <= 0 || node.memoryBytes() <= 0) {
      throw new IllegalArgumentException("a node must have cores and memory");
    }
  }

  /** Returns the smallest cluster that fits; empty if not even the largest one does. */
  public Optional<ClusterSize> smallest() {
    return Stream.concat(IntStream.of(1).boxed(), IntStream.rangeClosed(3, MAX_NODES).boxed())
        .filter(nodes -> nodes >= work.voters())
        .map(this::of)
        .filter(ClusterSize::fits)
        .findFirst();
  }

  /**
   * Returns what the workload needs of each node of a cluster. With three nodes or more, one of
   * them may be down.
   *
   * @param nodes at least 1
   */
  public ClusterSize of(int nodes) {
    int spare = nodes >= 3 ? 1 : 0;
    Demand demand = new Demand(work, nodes - spare);
    NodeSize need = demand.perNode();
    return new ClusterSize(nodes, spare, need, limits(need, demand.routeChanges()));
  }

  private List<Limit> limits(NodeSize need, double routeChanges) {
    return Stream.of(
            new Limit(
                "processor",
                need.cores() / (node.cores() * utilization),
                "more nodes, or nodes with more cores"),
            new Limit(
                "memory",
                need.memoryBytes() / (node.memoryBytes() * MEMORY_SHARE),
                "nodes with more memory; more nodes help only with clients, since every node"
                    + " holds all routes"),
            new Limit(
                "network",
                need.networkBytes() / node.networkBytes(),
                "more nodes, or a faster network"),
            new Limit("disk", need.diskBytes() / node.diskBytes(), "larger disks"),
            new Limit(
                "changes of routes",
                routeChanges / MAX_ROUTE_CHANGES,
                "fewer connects per second, or persistent sessions; more nodes do not help"))
        .sorted(Comparator.comparingDouble(Limit::used).reversed())
        .toList();
  }

  /**
   * Returns how often the workload fits into a cluster: 1 if it just fits, 2 if twice the clients,
   * rates and stored messages would; at most {@link #MAX_GROWTH}.
   *
   * @param nodes at least 1
   */
  public double growth(int nodes) {
    double low = 0;
    double high = 1;
    while (high < MAX_GROWTH && new Sizing(work.times(high), node, utilization).of(nodes).fits()) {
      low = high;
      high *= 2;
    }
    for (int i = 0; i < 30; i++) {
      double middle = (low + high) / 2;
      if (new Sizing(work.times(middle), node, utilization).of(nodes).fits()) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.min(low, MAX_GROWTH);
  }
}
