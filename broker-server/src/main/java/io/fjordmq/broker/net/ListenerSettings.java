package io.fjordmq.broker.net;

/**
 * One listener.
 *
 * @param key of the listener in the configuration file, for messages about it
 * @param host address to listen on; empty for all interfaces
 * @param port TCP port; 0 for any that is free
 * @param backlog connections the kernel keeps waiting to be accepted
 * @param maxConnections at a time; more are closed and counted
 * @param writeBufferHighBytes waiting for a client from which on it is not written to
 * @param writeBufferLowBytes below which it is written to again
 */
public record ListenerSettings(
    String key,
    String host,
    int port,
    int backlog,
    int maxConnections,
    int writeBufferHighBytes,
    int writeBufferLowBytes) {

  /**
   * @throws IllegalArgumentException if a value is out of its range; the message names it
   */
  public ListenerSettings {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(key + ".port must be 0 to 65535, not " + port);
    }
    if (backlog < 1 || maxConnections < 1) {
      throw new IllegalArgumentException(key + ".backlog and .maxConnections must be at least 1");
    }
    if (writeBufferLowBytes < 0 || writeBufferHighBytes <= writeBufferLowBytes) {
      throw new IllegalArgumentException(
          key + ".writeBufferHighBytes must be greater than .writeBufferLowBytes");
    }
  }

  /** The last part of the key: enough to tell listeners apart. */
  String name() {
    return key.substring(key.lastIndexOf('.') + 1);
  }

  /** A plain TCP listener with default limits. */
  public static ListenerSettings tcp(String host, int port) {
    return new ListenerSettings(
        "mqttServerConfig.tcpListener", host, port, 1_024, 1_000_000, 64 << 10, 32 << 10);
  }
}
