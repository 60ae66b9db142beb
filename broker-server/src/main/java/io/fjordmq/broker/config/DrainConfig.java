package io.fjordmq.broker.config;

import java.time.Duration;

/**
 * Draining a node, which is stopped with {@code --drain}.
 *
 * @param leaderPatience how long the node waits until others lead its ranges
 * @param clientsPerSecond clients disconnected per second, so that they reconnect to other nodes
 */
public record DrainConfig(Duration leaderPatience, int clientsPerSecond) {
  public DrainConfig {
    require(!leaderPatience.isNegative(), "leaderPatience must not be negative: " + leaderPatience);
    require(clientsPerSecond >= 1, "clientsPerSecond must be at least 1, not " + clientsPerSecond);
  }

  private static void require(boolean good, String fault) {
    if (!good) {
      throw new IllegalArgumentException(fault);
    }
  }
}
