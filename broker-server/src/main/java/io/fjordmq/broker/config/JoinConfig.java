package io.fjordmq.broker.config;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.membership.JoinSettings;
import java.time.Duration;
import java.util.List;

/**
 * How a node finds its cluster.
 *
 * @param helloTimeout how long to wait for the answer of one address
 * @param helloPause pause between two rounds of requests
 * @param clockWarning clock difference above which the log warns
 * @param clockRefusal clock difference above which a node must not join
 */
public record JoinConfig(
    Duration helloTimeout, Duration helloPause, Duration clockWarning, Duration clockRefusal) {
  public JoinConfig {
    require(helloTimeout.toMillis() >= 1, "helloTimeout must be at least 1 ms");
    require(helloPause.toMillis() >= 1, "helloPause must be at least 1 ms");
    require(!clockWarning.isNegative(), "clockWarning must not be negative");
    require(!clockRefusal.isNegative(), "clockRefusal must not be negative");
  }

  static JoinConfig of(JoinSettings standard) {
    return new JoinConfig(
        standard.helloTimeout(),
        standard.helloPause(),
        standard.clockWarning(),
        standard.clockRefusal());
  }

  /** The settings of joining. */
  public JoinSettings settings(
      boolean bootstrap, String env, NodeAddress own, List<NodeAddress> seeds) {
    return new JoinSettings(
        bootstrap, env, own, seeds, helloTimeout, helloPause, clockWarning, clockRefusal);
  }

  private static void require(boolean good, String fault) {
    if (!good) {
      throw new IllegalArgumentException(fault);
    }
  }
}
