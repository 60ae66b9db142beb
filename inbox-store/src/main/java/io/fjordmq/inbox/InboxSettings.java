package io.fjordmq.inbox;

import java.time.Duration;

/**
 * Bounds of the inbox store.
 *
 * @param initialRanges ranges a new cluster begins with; 1 to 4,096, or 0 for half as many as its
 *     first node has processors: more than can work at a time only makes their batches smaller
 * @param limits of every inbox from its next attach on
 * @param cachedInboxes inboxes a replica keeps in memory, a few hundred bytes each; the one not
 *     used for longest is forgotten first and read again when it is needed
 * @param commitLinger how long an acknowledgement may wait for others before it is replicated; what
 *     a crash takes meanwhile is delivered again
 * @param maxCommitInboxes acknowledgements of that many inboxes are replicated without waiting
 * @param maxCommitSpan so are those of one inbox that acknowledges that many messages
 * @param busyBackoff after which acknowledgements and detaches that a busy range refused are tried
 *     again; twice as long each time, up to 32 times
 * @param maxBusyRetries how often; then they fail. Acknowledged messages are delivered again
 * @param owedDetachPause after which inboxes that could not be given back, or were attached for all
 *     that is known, are given back again
 * @param maxOwedDetaches such inboxes; more stay attached until their clients come back or the
 *     node's life ends
 * @param willGrace how long clients of a node that has gone may take to come back before their
 *     wills are published
 * @param producerIdle after which it is forgotten which messages a QoS 2 publisher has repeated
 * @param sweepItems sessions, wills and producers that one sweep step works off at most, and
 *     inboxes that one step counts
 * @param sweepSteps steps a sweep takes in one range at most; the rest waits for the next sweep
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
    Duration owedDetachPause,
    int maxOwedDetaches,
    Duration willGrace,
    Duration producerIdle,
    int sweepItems,
    int sweepSteps) {

  /** What a command of the store may have in bytes beside one message or will. */
  public static final int COMMAND_BYTES_BESIDE_MESSAGE =
      MessageInserter.MAX_TARGET_BYTES + (256 << 10);

  /** Each costs threads and memory on every node that holds it; a store may be given more. */
  private static final int MOST_RANGES = 16;

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
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public InboxSettings {
    atLeast("initialRanges", initialRanges, 0);
    if (initialRanges > InboxKeys.BUCKETS) {
      throw new IllegalArgumentException(
          "initialRanges must be at most " + InboxKeys.BUCKETS + ", not " + initialRanges);
    }
    atLeast("cachedInboxes", cachedInboxes, 1);
    atLeast("commitLinger in milliseconds", commitLinger.toMillis(), 0);
    atLeast("maxCommitInboxes", maxCommitInboxes, 1);
    atLeast("maxCommitSpan", maxCommitSpan, 1);
    atLeast("busyBackoff in milliseconds", busyBackoff.toMillis(), 1);
    atLeast("maxBusyRetries", maxBusyRetries, 0);
    atLeast("owedDetachPause in milliseconds", owedDetachPause.toMillis(), 1);
    atLeast("maxOwedDetaches", maxOwedDetaches, 0);
    atLeast("willGrace in milliseconds", willGrace.toMillis(), 0);
    atLeast("producerIdle in milliseconds", producerIdle.toMillis(), 1);
    atLeast("sweepItems", sweepItems, 1);
    atLeast("sweepSteps", sweepSteps, 1);
  }

  /** The ranges a new cluster begins with whose first node has so many processors. */
  int initialRangesOn(int processors) {
    return initialRanges > 0 ? initialRanges : Math.min(Math.max(1, processors / 2), MOST_RANGES);
  }

  private static void atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }
}
