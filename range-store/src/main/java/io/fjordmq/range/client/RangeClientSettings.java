package io.fjordmq.range.client;

import java.time.Duration;

/**
 * Bounds and patience of one store's client.
 *
 * @param maxCommandBytes largest single command; larger ones are refused as TOO_LARGE
 * @param maxBatchBytes a batch is closed by the command that would make it larger
 * @param maxBatchCommands most commands in a batch
 * @param enoughAnswerBytes the command that brings a batch's answers to so many is the last of it
 *     that is applied; the others come with the next. So its answers have less than this and one
 *     answer together, wherever they are sent and kept
 * @param batchInterval least time between two batches to a busy range, which makes them fewer and
 *     larger; a range is busy if its last batch held several commands. Zero: none
 * @param hurryCommands so many waiting commands do not wait for that
 * @param maxQueuedCommands commands that may wait for one range; beyond they are refused as BUSY
 * @param maxQueuedBytes their bytes; beyond they are refused as BUSY
 * @param maxQueries queries in the air at the same time; beyond they are refused as BUSY
 * @param deadline how long a command or query may take, with all retries
 * @param attemptTimeout how long one attempt may take before it is repeated; not less than
 *     maxBackoff
 * @param backoff pause before a retry; doubles with each
 * @param maxBackoff longest such pause; as long a range's commands are refused as BUSY after a
 *     batch has been given up, together with what waited behind it
 * @param registerAgainAfter pause between two batches to a range after which the client takes a new
 *     sender number there, lest it has been forgotten
 */
public record RangeClientSettings(
    int maxCommandBytes,
    int maxBatchBytes,
    int maxBatchCommands,
    int enoughAnswerBytes,
    Duration batchInterval,
    int hurryCommands,
    int maxQueuedCommands,
    long maxQueuedBytes,
    int maxQueries,
    Duration deadline,
    Duration attemptTimeout,
    Duration backoff,
    Duration maxBackoff,
    Duration registerAgainAfter) {

  /** Finding out who leads now costs a replica little, and everything waits for it. */
  private static final long MAX_SEARCH_MILLIS = 50;

  public static final RangeClientSettings DEFAULTS =
      new RangeClientSettings(
          3 << 20,
          512 << 10,
          4096,
          1 << 20,
          Duration.ofMillis(4),
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
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public RangeClientSettings {
    atLeast("maxCommandBytes", maxCommandBytes, 1);
    atLeast("maxBatchBytes", maxBatchBytes, 1);
    atLeast("maxBatchCommands", maxBatchCommands, 1);
    atLeast("enoughAnswerBytes", enoughAnswerBytes, 1);
    atLeast("batchInterval in milliseconds", batchInterval.toMillis(), 0);
    atLeast("hurryCommands", hurryCommands, 1);
    atLeast("maxQueuedCommands", maxQueuedCommands, 1);
    atLeast("maxQueuedBytes", maxQueuedBytes, 1);
    atLeast("maxQueries", maxQueries, 1);
    atLeast("deadline in milliseconds", deadline.toMillis(), 1);
    atLeast("attemptTimeout in milliseconds", attemptTimeout.toMillis(), maxBackoff.toMillis());
    atLeast("backoff in milliseconds", backoff.toMillis(), 1);
    atLeast("registerAgainAfter in milliseconds", registerAgainAfter.toMillis(), 1);
    atLeast("maxBackoff in milliseconds", maxBackoff.toMillis(), backoff.toMillis());
  }

  private static void atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }

  /** Pause before the retry that follows so many failed attempts. */
  long backoffMillis(int failedAttempts) {
    long pause = backoff.toMillis() << Math.min(Math.max(failedAttempts - 1, 0), 20);
    return Math.min(pause, maxBackoff.toMillis());
  }

  /** The same when the one asked did not lead or could not be reached: another may lead by now. */
  long searchMillis(int failedAttempts) {
    return Math.min(backoffMillis(failedAttempts), MAX_SEARCH_MILLIS);
  }
}
