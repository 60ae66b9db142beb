package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import java.time.Duration;
import java.util.List;

/**
 * How a node finds its cluster.
 *
 * @param bootstrap whether its first start makes a new cluster instead
 * @param env what people call the cluster; a node joins none that is called otherwise
 * @param address of its cluster port as others reach it
 * @param seeds addresses of cluster ports, its own may be among them
 * @param helloTimeout how long one address is given to answer
 * @param helloPause between two rounds of asking
 * @param clockWarning how far clocks may be apart before the log says so
 * @param clockRefusal how far clocks may be apart for a node to join
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
   * Of env Test; asks each address for 2 s, every second; warns from 2 s on and refuses from 60 s.
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
