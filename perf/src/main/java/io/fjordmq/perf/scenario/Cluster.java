package io.fjordmq.perf.scenario;

/**
 * The brokers a scenario is for.
 *
 * @param nodes how many
 * @param voters of each range of the stores; 0 for what the broker does by itself
 * @param cold the load starts with the cluster: neither a pause nor a warm-up before
 * @param limits of each node
 */
public record Cluster(int nodes, int voters, boolean cold, NodeLimits limits) {
  /** The same with nodes that may have all there is. */
  Cluster withoutLimits() {
    return new Cluster(nodes, voters, cold, NodeLimits.NONE);
  }
}
