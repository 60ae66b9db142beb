package io.fjordmq.perf.scenario;

/**
 * The brokers that a scenario needs.
 *
 * @param nodes number of nodes
 * @param voters voters of each range; 0 for the broker's default
 * @param cold whether the load starts together with the cluster, without a pause or warm-up
 * @param limits resource limits of each node
 */
public record Cluster(int nodes, int voters, boolean cold, NodeLimits limits) {
  /** Returns this cluster without limits on the nodes. */
  Cluster withoutLimits() {
    return new Cluster(nodes, voters, cold, NodeLimits.NONE);
  }
}
