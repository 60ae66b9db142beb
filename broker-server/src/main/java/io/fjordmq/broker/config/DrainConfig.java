package io.fjordmq.broker.config;

import java.time.Duration;

/**
 * Settings for draining a node before it stops.
 *
 * @param atStop whether every stop drains the node first, even without {@code --drain}
 * @param leaderTransferTimeout how long the node waits for other nodes to take over leadership of
 *     its ranges
 * @param clientsPerSecond number of clients disconnected per second so that they reconnect to other
 *     nodes; also applies when the lease has expired or the cluster has marked the node DOWN
 */
public record DrainConfig(boolean atStop, Duration leaderTransferTimeout, int clientsPerSecond) {
  public DrainConfig {
    require(
        !leaderTransferTimeout.isNegative(),
        "leaderTransferTimeout must be at least 0 ms, not "
            + leaderTransferTimeout.toMillis()
            + " ms");
    require(clientsPerSecond >= 1, "clientsPerSecond must be at least 1, not " + clientsPerSecond);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
