package io.fjordmq.broker.limits;

/**
 * The limits of a tenant as a whole, on each node. 0 stands for none.
 *
 * @param maxConnections at a time; more are refused (MQTT 5: 0x97, MQTT 3: 0x03)
 * @param connectionsPerSecond accepted; more are refused (MQTT 5: 0x9F, MQTT 3: 0x03), after a
 *     second's worth at once
 * @param maxRetainedMessages beyond, retained messages for new topics are refused (MQTT 5: 0x97)
 * @param maxRetainedBytes of their topics, properties and payloads; beyond, what would add to them
 *     is refused
 */
public record TenantSettings(
    int maxConnections, int connectionsPerSecond, long maxRetainedMessages, long maxRetainedBytes) {
  /** No limits: the node's own and those of each client remain. */
  public static final TenantSettings DEFAULTS = new TenantSettings(0, 0, 0, 0);

  private static final int MOST_PER_SECOND = 1_000_000;

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public TenantSettings {
    within("maxConnections", maxConnections, Integer.MAX_VALUE);
    within("connectionsPerSecond", connectionsPerSecond, MOST_PER_SECOND);
    within("maxRetainedMessages", maxRetainedMessages, Long.MAX_VALUE);
    within("maxRetainedBytes", maxRetainedBytes, Long.MAX_VALUE);
  }

  private static void within(String name, long value, long most) {
    if (value < 0 || value > most) {
      throw new IllegalArgumentException(name + " must be 0 to " + most + ", not " + value);
    }
  }
}
