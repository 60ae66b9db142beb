package io.fjordmq.broker.delivery;

/**
 * Bounds of delivery.
 *
 * @param maxCachedTopics topics whose local subscribers are cached; when full, those not published
 *     to lately are matched anew
 * @param maxCachedFanOut subscribers of overlapping filters that are kept merged for a topic; a
 *     larger merge is made anew for each PUBLISH
 * @param outboxDeliveries collected for one event loop before they are handed over without waiting
 *     for the end of the batch
 * @param mailboxTurn copies an event loop takes in one go before it turns to its other work
 * @param mailboxHighWater copies waiting for an event loop above which publishers are answered late
 * @param mailboxCapacity copies waiting for an event loop above which more are dropped and counted
 * @param mailboxHighWaterBytes like mailboxHighWater, payload bytes
 * @param mailboxCapacityBytes like mailboxCapacity, payload bytes
 * @param routeRemovalsInFlight removals of routes at one time; the others wait. Those of ended
 *     sessions are counted apart from those of subscriptions
 * @param pushedEntriesPerInbox inbox entries waiting for a session; when there are more, the oldest
 *     are left out and the session reads them from the inbox
 * @param pushedBytesPerInbox like pushedEntriesPerInbox, payload bytes; one entry is always kept
 * @param maxRepeatingPublishers publishers of QoS 2 whose last messages are remembered, so that
 *     live receivers do not get them again when they are repeated; when there are more, the one
 *     longest silent is forgotten
 * @param maxRepeatableMessages messages remembered of all these publishers; when there are more,
 *     the publisher longest silent is forgotten
 * @param maxShares shares whose turn is remembered; when there are more, all begin anew
 * @param shareStrategy which member of a share gets a message
 */
public record DeliverySettings(
    int maxCachedTopics,
    int maxCachedFanOut,
    int outboxDeliveries,
    int mailboxTurn,
    long mailboxHighWater,
    long mailboxCapacity,
    long mailboxHighWaterBytes,
    long mailboxCapacityBytes,
    int routeRemovalsInFlight,
    int pushedEntriesPerInbox,
    long pushedBytesPerInbox,
    int maxRepeatingPublishers,
    int maxRepeatableMessages,
    int maxShares,
    ShareStrategy shareStrategy) {

  /** What runs without configuration. */
  public static final DeliverySettings DEFAULTS =
      new DeliverySettings(
          65_536,
          1_024,
          256,
          2_048,
          65_536,
          1_048_576,
          32L << 20,
          256L << 20,
          256,
          256,
          1L << 20,
          65_536,
          262_144,
          65_536,
          ShareStrategy.ROUND_ROBIN);

  /**
   * @throws IllegalArgumentException if a bound is not positive or a capacity is below its high
   *     water mark
   */
  public DeliverySettings {
    requirePositive("maxCachedTopics", maxCachedTopics);
    requirePositive("maxCachedFanOut", maxCachedFanOut);
    requirePositive("outboxDeliveries", outboxDeliveries);
    requirePositive("mailboxTurn", mailboxTurn);
    requirePositive("mailboxHighWater", mailboxHighWater);
    requireAtLeast("mailboxCapacity", mailboxCapacity, mailboxHighWater);
    requirePositive("mailboxHighWaterBytes", mailboxHighWaterBytes);
    requireAtLeast("mailboxCapacityBytes", mailboxCapacityBytes, mailboxHighWaterBytes);
    requirePositive("routeRemovalsInFlight", routeRemovalsInFlight);
    requirePositive("pushedEntriesPerInbox", pushedEntriesPerInbox);
    requirePositive("pushedBytesPerInbox", pushedBytesPerInbox);
    requirePositive("maxRepeatingPublishers", maxRepeatingPublishers);
    requirePositive("maxRepeatableMessages", maxRepeatableMessages);
    requirePositive("maxShares", maxShares);
  }

  private static void requirePositive(String name, long value) {
    requireAtLeast(name, value, 1);
  }

  private static void requireAtLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }
}
