package io.fjordmq.broker.limits;

/**
 * Limits for a whole tenant, applied on each node separately. 0 means no limit.
 *
 * @param maxConnections maximum number of open connections; further ones are refused (MQTT 5: 0x97,
 *     MQTT 3: 0x03)
 * @param connectionsPerSecond rate limit for new connections, with a burst of one second's worth;
 *     connections above it are refused (MQTT 5: 0x9F, MQTT 3: 0x03)
 * @param publishesPerSecond rate limit for publishes of all clients, with a burst of one second's
 *     worth; above it, the broker reads more slowly from all of them
 * @param maxRetainedMessages maximum number of retained messages; above it, retained messages for
 *     new topics are refused (MQTT 5: 0x97)
 * @param maxRetainedBytes maximum total size of the retained messages' topics, properties and
 *     payloads; above it, retained messages that would add bytes are refused
 */
public record TenantSettings(
    int maxConnections,
    int connectionsPerSecond,
    int publishesPerSecond,
    long maxRetainedMessages,
    long maxRetainedBytes) {
  /** No limits per tenant; the limits of the node and of each client still apply. */
  public static final TenantSettings DEFAULTS = new TenantSettings(0, 0, 0, 0, 0);

  private static final int MAX_PER_SECOND = 1_000_000;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public TenantSettings {
    requireWithin("maxConnections", maxConnections, Integer.MAX_VALUE);
    requireWithin("connectionsPerSecond", connectionsPerSecond, MAX_PER_SECOND);
    requireWithin("publishesPerSecond", publishesPerSecond, MAX_PER_SECOND);
    requireWithin("maxRetainedMessages", maxRetainedMessages, Long.MAX_VALUE);
    requireWithin("maxRetainedBytes", maxRetainedBytes, Long.MAX_VALUE);
  }

  /** The limits of the tenant's connections. */
  public ConnectionLimits connections() {
    return new ConnectionLimits(maxConnections, connectionsPerSecond, publishesPerSecond);
  }

  private static void requireWithin(String name, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(name + " must be between 0 and " + max + ", not " + value);
    }
  }
}
