package io.fjordmq.broker.limits;

/**
 * Limits for all connections of a user or of an address, applied on each node separately. 0 means
 * no limit.
 *
 * @param maxConnections maximum number of open connections; further ones are refused (MQTT 5: 0x97,
 *     MQTT 3: 0x03)
 * @param connectionsPerSecond rate limit for new connections, with a burst of one second's worth;
 *     connections above it are delayed, and refused if the delay would be too long (MQTT 5: 0x9F,
 *     MQTT 3: 0x03)
 * @param publishesPerSecond rate limit for publishes, with a burst of one second's worth; above it,
 *     the broker reads more slowly from all of the connections
 */
public record ConnectionLimits(
    int maxConnections, int connectionsPerSecond, int publishesPerSecond) {
  /** No limits. */
  public static final ConnectionLimits NONE = new ConnectionLimits(0, 0, 0);

  private static final int MAX_PER_SECOND = 1_000_000;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public ConnectionLimits {
    requireWithin("maxConnections", maxConnections, Integer.MAX_VALUE);
    requireWithin("connectionsPerSecond", connectionsPerSecond, MAX_PER_SECOND);
    requireWithin("publishesPerSecond", publishesPerSecond, MAX_PER_SECOND);
  }

  private static void requireWithin(String name, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(name + " must be between 0 and " + max + ", not " + value);
    }
  }
}
