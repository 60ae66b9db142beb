package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import java.util.List;

/**
 * Which cluster a node joins, and how.
 *
 * @param bootstrap whether the first start creates a new cluster instead of joining one
 * @param env the name of the cluster; a node does not join a cluster with another name
 * @param address the address at which other nodes reach this node's cluster port
 * @param seeds addresses of cluster ports; may include that of this node
 * @param settings timing
 */
public record JoinOptions(
    boolean bootstrap,
    String env,
    NodeAddress address,
    List<NodeAddress> seeds,
    JoinSettings settings) {

  public JoinOptions {
    seeds = List.copyOf(seeds);
  }
}
