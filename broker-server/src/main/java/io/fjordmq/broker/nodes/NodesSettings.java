package io.fjordmq.broker.nodes;

import java.time.Duration;

/**
 * Bounds of what waits to be sent to each other node.
 *
 * @param maxBatchItems sent at one time
 * @param maxBatchBytes sent at one time; one item is always sent
 * @param highWaterBytes above which publishers are answered late
 * @param capacityBytes above which messages of QoS 0 are dropped, those of QoS 1 and 2 refused, and
 *     entries of inboxes left for their sessions to read
 * @param capacityNotices what must not be lost (fenced inboxes, connections to be closed) and waits
 *     beyond capacityBytes; above it CONNECT is refused
 * @param maxBehind sessions of a node that are to read their inboxes because its stream was full;
 *     when there are more, all of them do
 * @param publishPatience how long a publisher waits for the answer of a node; then it is not
 *     acknowledged. Longer than the cluster takes to count a node as down that cannot be reached
 * @param answerTimeout how long an answer is awaited before the same is sent again
 * @param resendAfter pause before what could not be sent is sent again
 */
public record NodesSettings(
    int maxBatchItems,
    int maxBatchBytes,
    long highWaterBytes,
    long capacityBytes,
    int capacityNotices,
    int maxBehind,
    Duration publishPatience,
    Duration answerTimeout,
    Duration resendAfter) {

  /** What runs without configuration. */
  public static final NodesSettings DEFAULTS =
      new NodesSettings(
          4_096,
          1 << 20,
          16L << 20,
          64L << 20,
          65_536,
          65_536,
          Duration.ofSeconds(15),
          Duration.ofSeconds(5),
          Duration.ofMillis(100));

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public NodesSettings {
    requireAtLeast("maxBatchItems", maxBatchItems, 1);
    requireAtLeast("maxBatchBytes", maxBatchBytes, 1);
    requireAtLeast("highWaterBytes", highWaterBytes, 1);
    requireAtLeast("capacityBytes", capacityBytes, highWaterBytes);
    requireAtLeast("capacityNotices", capacityNotices, 1);
    requireAtLeast("maxBehind", maxBehind, 1);
    requireAtLeast("publishPatience", publishPatience.toMillis(), 1);
    requireAtLeast("answerTimeout", answerTimeout.toMillis(), 1);
    requireAtLeast("resendAfter", resendAfter.toMillis(), 1);
  }

  private static void requireAtLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }
}
