package io.fjordmq.broker.nodes;

import java.time.Duration;

/**
 * Limits of the items that wait for each other node.
 *
 * @param maxBatchItems items per batch
 * @param maxBatchBytes bytes per batch; a batch always has at least one item
 * @param highWaterBytes high-water mark above which answers to publishers are delayed
 * @param capacityBytes capacity above which QoS 0 messages are dropped, QoS 1 and 2 messages
 *     refused, and sessions fetch inbox entries themselves
 * @param capacityNotices limit of waiting notices (fenced inboxes, connections to be closed), which
 *     are accepted beyond capacityBytes; above it CONNECT is refused
 * @param maxBehind sessions of a node that are remembered to refetch their inboxes because its
 *     stream was full; if there are more, all sessions do
 * @param publishPatience how long a publisher waits for the answer of a node before it goes without
 *     an acknowledgement; longer than the cluster takes to mark an unreachable node as down
 * @param answerTimeout how long to wait for an answer before the batch is resent
 * @param resendAfter pause before a failed batch is resent
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

  /** The defaults. */
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
   * @throws IllegalArgumentException if a value is invalid; the message names it
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
