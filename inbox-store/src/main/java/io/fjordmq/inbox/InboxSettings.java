package io.fjordmq.inbox;

import java.time.Duration;

/**
 * Settings of the inbox store.
 *
 * @param initialRanges number of ranges that a new cluster starts with; 1 to 4,096, or 0 for half
 *     the number of processors of its first node. More ranges than can work in parallel would only
 *     make batches smaller
 * @param limits limits of every inbox, effective from its next attach
 * @param cachedInboxes inboxes that a replica caches in memory, a few hundred bytes each; the least
 *     recently used one is evicted first
 * @param commitLinger how long an acknowledgement may wait for others before it is replicated;
 *     acknowledgements lost in a crash cause redelivery
 * @param maxCommitInboxes number of inboxes with waiting acknowledgements at which they are
 *     replicated immediately
 * @param maxCommitSpan number of acknowledged messages of one inbox at which they are replicated
 *     immediately
 * @param busyBackoff delay before acknowledgements and detaches that a busy range rejected are
 *     retried; doubles with each retry, up to 32 times this value
 * @param maxBusyRetries maximum number of these retries; then the call fails, and acknowledged
 *     messages are delivered again
 * @param detachRetryInterval interval between attempts to detach inboxes whose detach failed or
 *     whose attach has an unknown outcome
 * @param maxPendingDetaches maximum number of such inboxes; any others stay attached until their
 *     client reconnects or the node's incarnation ends
 * @param willGrace how long clients of a node that has left service may take to reconnect before
 *     their wills are published
 * @param producerIdle idle time after which the publish ids of a QoS 2 publisher are forgotten
 * @param sweepItems maximum number of sessions, wills and producers that one sweep step processes,
 *     and of inboxes that one step counts
 * @param sweepSteps maximum number of steps per range and sweep; remaining work waits for the next
 *     sweep
 */
public record InboxSettings(
    int initialRanges,
    InboxLimits limits,
    int cachedInboxes,
    Duration commitLinger,
    int maxCommitInboxes,
    int maxCommitSpan,
    Duration busyBackoff,
    int maxBusyRetries,
    Duration detachRetryInterval,
    int maxPendingDetaches,
    Duration willGrace,
    Duration producerIdle,
    int sweepItems,
    int sweepSteps) {

  /**
   * Approximate maximum size of the targets in one insert command. Apart from the message, a
   * command contains little else. A limit on messages therefore limits commands, whatever the
   * number of subscribers and the length of their names.
   */
  public static final int MAX_TARGET_BYTES = 1 << 20;

  /** Maximum size of a command, not counting one message or will. */
  public static final int COMMAND_BYTES_BESIDE_MESSAGE = MAX_TARGET_BYTES + (256 << 10);

  /**
   * Upper limit of the default number of ranges, because each range costs threads and memory on
   * every node that hosts it.
   */
  private static final int MAX_DEFAULT_RANGES = 16;

  public static final InboxSettings DEFAULT =
      new InboxSettings(
          0,
          InboxLimits.DEFAULT,
          50_000,
          Duration.ofMillis(50),
          4096,
          512,
          Duration.ofMillis(50),
          10,
          Duration.ofSeconds(5),
          100_000,
          Duration.ofSeconds(10),
          Duration.ofDays(7),
          500,
          100);

  /**
   * Validates the settings.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public InboxSettings {
    requireAtLeast("initialRanges", initialRanges, 0);
    if (initialRanges > InboxId.BUCKETS) {
      throw new IllegalArgumentException(
          "initialRanges must be at most " + InboxId.BUCKETS + ", not " + initialRanges);
    }
    requireAtLeast("cachedInboxes", cachedInboxes, 1);
    requireAtLeast("commitLinger in milliseconds", commitLinger.toMillis(), 0);
    requireAtLeast("maxCommitInboxes", maxCommitInboxes, 1);
    requireAtLeast("maxCommitSpan", maxCommitSpan, 1);
    requireAtLeast("busyBackoff in milliseconds", busyBackoff.toMillis(), 1);
    requireAtLeast("maxBusyRetries", maxBusyRetries, 0);
    requireAtLeast("detachRetryInterval in milliseconds", detachRetryInterval.toMillis(), 1);
    requireAtLeast("maxPendingDetaches", maxPendingDetaches, 0);
    requireAtLeast("willGrace in milliseconds", willGrace.toMillis(), 0);
    requireAtLeast("producerIdle in milliseconds", producerIdle.toMillis(), 1);
    requireAtLeast("sweepItems", sweepItems, 1);
    requireAtLeast("sweepSteps", sweepSteps, 1);
  }

  /** Returns the number of ranges of a new cluster whose first node has this many processors. */
  public int initialRangesOn(int processors) {
    return initialRanges > 0
        ? initialRanges
        : Math.min(Math.max(1, processors / 2), MAX_DEFAULT_RANGES);
  }

  private static void requireAtLeast(String name, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(name + " must be at least " + min + ", not " + value);
    }
  }
}
