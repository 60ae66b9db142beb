package io.fjordmq.broker.net;

/**
 * Limits of a listener and of its connections.
 *
 * @param backlog connections that the kernel queues until they are accepted
 * @param maxConnections open connections; further ones are closed and counted
 * @param writeBufferHighBytes outbound bytes of a client at which the broker stops writing to it
 * @param writeBufferLowBytes outbound bytes below which the broker writes again
 */
public record SocketSettings(
    int backlog, int maxConnections, int writeBufferHighBytes, int writeBufferLowBytes) {
  public static final SocketSettings DEFAULTS =
      new SocketSettings(1_024, 1_000_000, 64 << 10, 32 << 10);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message begins with its name
   */
  public SocketSettings {
    require(backlog >= 1, "backlog must be at least 1, not " + backlog);
    require(maxConnections >= 1, "maxConnections must be at least 1, not " + maxConnections);
    require(writeBufferLowBytes >= 0, "writeBufferLowBytes must be at least 0");
    require(
        writeBufferHighBytes > writeBufferLowBytes,
        "writeBufferHighBytes must be greater than writeBufferLowBytes");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
