package io.fjordmq.broker.config;

import java.time.Duration;

/**
 * How a node that is stopped with {@code --drain} gives away what it has.
 *
 * @param leaderPatience how long others may take to lead what it led
 * @param clientsPerSecond sent to other nodes
 */
public record DrainConfig(Duration leaderPatience, int clientsPerSecond) {
  public DrainConfig {
    require(!leaderPatience.isNegative(), "leaderPatience must not be negative");
    require(clientsPerSecond >= 1, "clientsPerSecond must be at least 1");
  }

  private static void require(boolean good, String fault) {
    if (!good) {
      throw new IllegalArgumentException(fault);
    }
  }
}
