package io.fjordmq.cli.sizing;

import java.util.List;

/**
 * How many nodes a workload needs, and how large each must be.
 *
 * @param nodes all nodes, including those that may fail
 * @param spare nodes that may be down while the others carry the workload
 * @param need what each remaining node needs while the spare nodes are down
 * @param limits what the workload uses of each limit, the one that is reached first at the front
 */
public record ClusterSize(int nodes, int spare, NodeSize need, List<Limit> limits) {

  public ClusterSize {
    limits = List.copyOf(limits);
  }

  /**
   * A limit that ends the growth of a workload on these nodes.
   *
   * @param name what is limited
   * @param used part that the workload uses; above 1, the workload does not fit
   * @param remedy what an operator can do about it
   */
  public record Limit(String name, double used, String remedy) {}

  /** Returns whether the workload fits. */
  public boolean fits() {
    return limits.stream().allMatch(limit -> limit.used() <= 1);
  }
}
