package io.fjordmq.range.client;

import java.time.Duration;

/**
 * Limits and timeouts of a store's client.
 *
 * @param maxCommandBytes maximum size of a command; larger ones are rejected as TOO_LARGE
 * @param maxBatchBytes maximum size of a batch; a single larger command is sent on its own
 * @param maxBatchCommands maximum number of commands in a batch
 * @param maxBatchResponseBytes soft limit for the responses to a batch. The command that reaches it
 *     is the last one applied; the others move to the next batch. The responses to a batch
 *     therefore exceed the limit by less than one response, both in transit and in storage
 * @param batchInterval minimum time between two batches to a busy range, which makes batches fewer
 *     and larger, unless the leader tells when to send the next one; a range is busy if batches
 *     often hold several commands, or commands often arrive while a batch is in flight. Zero
 *     disables it
 * @param flushCommands number of queued commands that are sent without waiting for batchInterval
 * @param maxQueuedCommands maximum number of commands queued for a range; more are rejected as BUSY
 * @param maxQueuedBytes maximum size of the commands queued for a range; more are rejected as BUSY
 * @param maxQueries maximum number of queries in flight; more are rejected as BUSY
 * @param deadline maximum time for a command or query, including all retries
 * @param attemptTimeout time after which an attempt without a reply is repeated; at least
 *     maxBackoff
 * @param backoff pause before the first retry; doubles with each retry
 * @param maxBackoff maximum pause before a retry; also how long a range's commands are rejected as
 *     BUSY after the client has abandoned a batch, like the commands queued behind it
 * @param reregisterAfter idle time after which the client requests a new sender number of a range,
 *     because the range may have evicted the previous one
 */
public record RangeClientSettings(
    int maxCommandBytes,
    int maxBatchBytes,
    int maxBatchCommands,
    int maxBatchResponseBytes,
    Duration batchInterval,
    int flushCommands,
    int maxQueuedCommands,
    long maxQueuedBytes,
    int maxQueries,
    Duration deadline,
    Duration attemptTimeout,
    Duration backoff,
    Duration maxBackoff,
    Duration reregisterAfter) {

  /**
   * Maximum backoff while looking for the leader: the search costs a replica little, and every
   * command waits for it.
   */
  private static final long MAX_SEARCH_BACKOFF_MILLIS = 50;

  public static final RangeClientSettings DEFAULTS =
      new RangeClientSettings(
          3 << 20,
          512 << 10,
          4096,
          1 << 20,
          Duration.ofMillis(3),
          64,
          65_536,
          64L << 20,
          4096,
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          Duration.ofMillis(5),
          Duration.ofMillis(500),
          Duration.ofMinutes(1));

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public RangeClientSettings {
    requireAtLeast("maxCommandBytes", maxCommandBytes, 1);
    requireAtLeast("maxBatchBytes", maxBatchBytes, 1);
    requireAtLeast("maxBatchCommands", maxBatchCommands, 1);
    requireAtLeast("maxBatchResponseBytes", maxBatchResponseBytes, 1);
    requireAtLeast("batchInterval in milliseconds", batchInterval.toMillis(), 0);
    requireAtLeast("flushCommands", flushCommands, 1);
    requireAtLeast("maxQueuedCommands", maxQueuedCommands, 1);
    requireAtLeast("maxQueuedBytes", maxQueuedBytes, 1);
    requireAtLeast("maxQueries", maxQueries, 1);
    requireAtLeast("deadline in milliseconds", deadline.toMillis(), 1);
    requireAtLeast(
        "attemptTimeout in milliseconds", attemptTimeout.toMillis(), maxBackoff.toMillis());
    requireAtLeast("backoff in milliseconds", backoff.toMillis(), 1);
    requireAtLeast("reregisterAfter in milliseconds", reregisterAfter.toMillis(), 1);
    requireAtLeast("maxBackoff in milliseconds", maxBackoff.toMillis(), backoff.toMillis());
  }

  private static void requireAtLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new IllegalArgumentException(name + " must be at least " + minimum + ", not " + value);
    }
  }

  /** Returns the pause before the retry after this many failed attempts. */
  long backoffMillis(int failedAttempts) {
    long pause = backoff.toMillis() << Math.min(Math.max(failedAttempts - 1, 0), 20);
    return Math.min(pause, maxBackoff.toMillis());
  }

  /**
   * Returns the pause if the replica did not lead or was unreachable: another one may already lead.
   */
  long searchBackoffMillis(int failedAttempts) {
    return Math.min(backoffMillis(failedAttempts), MAX_SEARCH_BACKOFF_MILLIS);
  }
}
