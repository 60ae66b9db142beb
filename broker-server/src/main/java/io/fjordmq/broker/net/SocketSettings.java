package io.fjordmq.broker.net;

/**
 * Limits of a listener and of its connections.
 *
 * @param backlog maximum number of connections that the kernel queues until they are accepted
 * @param maxConnections maximum number of open connections; further ones are closed and counted
 * @param writeBufferHighBytes number of pending outbound bytes at which the broker stops writing to
 *     a client
 * @param writeBufferLowBytes number of pending outbound bytes below which the broker resumes
 *     writing
 */
public record SocketSettings(
    int backlog, int maxConnections, int writeBufferHighBytes, int writeBufferLowBytes) {
  public static final SocketSettings DEFAULTS =
      new SocketSettings(1_024, 1_000_000, 64 << 10, 32 << 10);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message begins with the name
   *     of the setting
   */
  public SocketSettings {
    require(backlog >= 1, "backlog must be at least 1, not " + backlog);
    require(maxConnections >= 1, "maxConnections must be at least 1, not " + maxConnections);
    require(
        writeBufferLowBytes >= 0,
        "writeBufferLowBytes must be at least 0, not " + writeBufferLowBytes);
    require(
        writeBufferHighBytes > writeBufferLowBytes,
        "writeBufferHighBytes must be greater than writeBufferLowBytes (%d), not %d"
            .formatted(writeBufferLowBytes, writeBufferHighBytes));
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
