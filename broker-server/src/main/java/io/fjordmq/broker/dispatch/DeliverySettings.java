package io.fjordmq.broker.dispatch;

import java.time.Duration;

/**
 * Settings and limits for delivery.
 *
 * @param maxCachedTopics maximum number of topics whose local subscribers are cached; when the
 *     cache is full, topics without recent publishes are evicted
 * @param maxCachedFanOut maximum number of subscribers in a cached merge of overlapping filters;
 *     larger merges are recomputed for each PUBLISH
 * @param outboxDeliveries maximum number of deliveries collected for one event loop; they are then
 *     handed over even before the end of the batch
 * @param mailboxBatchSize number of copies that an event loop delivers in one slice before it does
 *     other work
 * @param mailboxHighWater number of copies waiting for an event loop above which acknowledgements
 *     to publishers are delayed
 * @param mailboxCapacity number of copies waiting for an event loop above which further copies are
 *     dropped and counted
 * @param mailboxHighWaterBytes like mailboxHighWater, in payload bytes
 * @param mailboxCapacityBytes like mailboxCapacity, in payload bytes
 * @param routeRemovalsInFlight maximum number of concurrent route removals; further removals are
 *     queued. The limit applies separately to ended sessions and to subscriptions
 * @param pushedEntriesPerInbox maximum number of inbox entries waiting for a session; beyond that,
 *     the oldest are skipped and the session fetches them from the inbox
 * @param pushedBytesPerInbox like pushedEntriesPerInbox, in payload bytes; at least one entry is
 *     always kept
 * @param maxRepeatingPublishers maximum number of QoS 2 publishers whose latest messages are
 *     remembered so that live receivers do not receive duplicates; beyond that, the least recently
 *     active publisher is evicted
 * @param maxRepeatableMessages maximum number of messages remembered for all of those publishers;
 *     beyond that, the least recently active publisher is evicted
 * @param maxShares maximum number of shares whose position in the rotation is remembered; beyond
 *     that, all positions are reset
 * @param maxRetainedWait the longest time that the retained messages for a new subscription wait
 *     until those in flight are stored, at least 1 ms
 * @param shareStrategy the strategy that picks the share member for a message
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
    Duration maxRetainedWait,
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
          Duration.ofSeconds(5),
          ShareStrategy.ROUND_ROBIN);

  /**
   * @throws IllegalArgumentException if a limit is not positive or a capacity is below its
   *     high-water mark
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
    requirePositive("maxRetainedWait", maxRetainedWait.toMillis());
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
