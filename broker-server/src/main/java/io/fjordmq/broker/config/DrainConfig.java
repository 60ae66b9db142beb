package io.fjordmq.broker.config;

import java.time.Duration;

/**
 * How a node that is stopped with {@code --drain} is drained.
 *
 * @param leaderTransferTimeout how long the node waits until others lead its ranges
 * @param clientsPerSecond clients disconnected per second, so that they reconnect to other nodes;
 *     also when the lease has expired or the cluster has marked the node DOWN
 */
public record DrainConfig(Duration leaderTransferTimeout, int clientsPerSecond) {
  public DrainConfig {
    require(
        !leaderTransferTimeout.isNegative(),
        "leaderTransferTimeout must be at least 0, not " + leaderTransferTimeout);
    require(clientsPerSecond >= 1, "clientsPerSecond must be at least 1, not " + clientsPerSecond);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
