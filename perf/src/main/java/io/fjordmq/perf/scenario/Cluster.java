package io.fjordmq.perf.scenario;

/**
 * The cluster that a scenario needs.
 *
 * @param nodes number of nodes
 * @param voters voters of each range; 0 for the broker's default
 * @param cold whether the load starts as soon as the cluster has started, without a pause or
 *     warm-up
 * @param limits resource limits of each node
 */
public record Cluster(int nodes, int voters, boolean cold, NodeLimits limits) {
  /** Returns this cluster without limits on the nodes. */
  Cluster withoutLimits() {
    return new Cluster(nodes, voters, cold, NodeLimits.NONE);
  }
}
