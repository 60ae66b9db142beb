package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import java.time.Duration;
import java.util.List;

/**
 * Settings for finding and joining a cluster.
 *
 * @param bootstrap whether the first start creates a new cluster instead
 * @param env the name of the cluster; a node does not join a cluster with another name
 * @param address the address of its cluster port as other nodes reach it
 * @param seeds addresses of cluster ports; may include that of this node
 * @param helloTimeout timeout of a hello to one address
 * @param helloPause pause between two rounds of hellos
 * @param clockWarning clock difference from which a warning is logged
 * @param clockRefusal clock difference from which a node is not allowed to join
 */
public record JoinSettings(
    boolean bootstrap,
    String env,
    NodeAddress address,
    List<NodeAddress> seeds,
    Duration helloTimeout,
    Duration helloPause,
    Duration clockWarning,
    Duration clockRefusal) {

  public JoinSettings {
    seeds = List.copyOf(seeds);
  }

  /**
   * Defaults: env Test, hello timeout 2 s, hello pause 1 s, clock warning from 2 s, clock refusal
   * from 60 s.
   */
  public static JoinSettings of(boolean bootstrap, NodeAddress address, List<NodeAddress> seeds) {
    return new JoinSettings(
        bootstrap,
        "Test",
        address,
        seeds,
        Duration.ofSeconds(2),
        Duration.ofSeconds(1),
        Duration.ofSeconds(2),
        Duration.ofSeconds(60));
  }
}
