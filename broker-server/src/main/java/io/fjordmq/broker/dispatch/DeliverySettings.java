package io.fjordmq.broker.dispatch;

/**
 * Limits of delivery.
 *
 * @param maxCachedTopics topics whose local subscribers are cached; if full, topics without recent
 *     publishes are evicted
 * @param maxCachedFanOut largest cached merge of the subscribers of overlapping filters; a larger
 *     one is computed for each PUBLISH
 * @param outboxDeliveries deliveries collected for one event loop before they are handed over, even
 *     before the end of the batch
 * @param mailboxBatchSize copies an event loop delivers in one slice before it does other work
 * @param mailboxHighWater copies waiting for an event loop above which acknowledgements to
 *     publishers are delayed
 * @param mailboxCapacity copies waiting for an event loop above which more are dropped and counted
 * @param mailboxHighWaterBytes like mailboxHighWater, in payload bytes
 * @param mailboxCapacityBytes like mailboxCapacity, in payload bytes
 * @param routeRemovalsInFlight concurrent removals of routes; others are queued. The limit applies
 *     separately to ended sessions and to subscriptions
 * @param pushedEntriesPerInbox inbox entries waiting for a session; if there are more, the oldest
 *     are skipped and the session fetches them from the inbox
 * @param pushedBytesPerInbox like pushedEntriesPerInbox, in payload bytes; one entry is always kept
 * @param maxRepeatingPublishers QoS 2 publishers whose latest messages are remembered, so that live
 *     receivers do not get duplicates; if there are more, the one idle longest is evicted
 * @param maxRepeatableMessages messages remembered of all these publishers; if there are more, the
 *     publisher idle longest is evicted
 * @param maxShares shares whose position in the rotation is remembered; if there are more, all are
 *     reset
 * @param shareStrategy strategy that picks the share member for a message
 */
public record DeliverySettings(
    int maxCachedTopics,
    int maxCachedFanOut,
    int outboxDeliveries,
    int mailboxBatchSize,
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

  /** The defaults. */
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
   * @throws IllegalArgumentException if a limit is not positive or a capacity is below its high
   *     water mark
   */
  public DeliverySettings {
    requirePositive("maxCachedTopics", maxCachedTopics);
    requirePositive("maxCachedFanOut", maxCachedFanOut);
    requirePositive("outboxDeliveries", outboxDeliveries);
    requirePositive("mailboxBatchSize", mailboxBatchSize);
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

  private static void requireAtLeast(String name, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(name + " must be at least " + min + ", not " + value);
    }
  }
}
