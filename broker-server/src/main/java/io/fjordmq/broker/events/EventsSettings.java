package io.fjordmq.broker.events;

/**
 * Limits for the recent events of clients that a node remembers.
 *
 * @param maxClients maximum number of clients; 0 to record no events
 * @param maxBytes approximate maximum memory of all events
 */
public record EventsSettings(int maxClients, long maxBytes) {

  /** The defaults. */
  public static final EventsSettings DEFAULTS = new EventsSettings(10_000, 32L << 20);

  private static final int MIN_BYTES = 1 << 20;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public EventsSettings {
    if (maxClients < 0) {
      throw new IllegalArgumentException("maxClients must be at least 0, not " + maxClients);
    }
    if (maxBytes < MIN_BYTES) {
      throw new IllegalArgumentException(
          "maxBytes must be at least " + MIN_BYTES + ", not " + maxBytes);
    }
  }
}
