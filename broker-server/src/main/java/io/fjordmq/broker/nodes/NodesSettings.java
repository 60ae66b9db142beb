package io.fjordmq.broker.nodes;

import java.time.Duration;

/**
 * Limits for the items that are queued for other nodes. Each limit applies to each other node
 * separately.
 *
 * @param maxBatchItems maximum number of items per batch
 * @param maxBatchBytes maximum number of bytes per batch; a batch always contains at least one item
 * @param highWaterBytes high-water mark above which acknowledgements to publishers are delayed
 * @param maxQueuedBytes capacity above which QoS 0 messages are dropped, QoS 1 and 2 messages are
 *     refused, and sessions must fetch inbox entries themselves
 * @param maxQueuedNotices maximum number of waiting notices (fenced inboxes, connections to be
 *     closed), which are accepted even beyond maxQueuedBytes; at this limit, CONNECTs are refused
 * @param maxLaggingSessions maximum number of sessions per node for which this node remembers that
 *     they must refetch their inboxes because the stream was full; beyond that, all sessions on the
 *     other node refetch
 * @param publishTimeout how long a publisher waits for a node's response before its publish remains
 *     unacknowledged; must be longer than the cluster takes to mark an unreachable node as down
 * @param responseTimeout how long to wait for a response before the batch is resent
 * @param resendAfter delay before a failed batch is resent
 */
public record NodesSettings(
    int maxBatchItems,
    int maxBatchBytes,
    long highWaterBytes,
    long maxQueuedBytes,
    int maxQueuedNotices,
    int maxLaggingSessions,
    Duration publishTimeout,
    Duration responseTimeout,
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
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public NodesSettings {
    requireAtLeast("maxBatchItems", maxBatchItems, 1);
    requireAtLeast("maxBatchBytes", maxBatchBytes, 1);
    requireAtLeast("highWaterBytes", highWaterBytes, 1);
    requireAtLeast("maxQueuedBytes", maxQueuedBytes, highWaterBytes);
    requireAtLeast("maxQueuedNotices", maxQueuedNotices, 1);
    requireAtLeast("maxLaggingSessions", maxLaggingSessions, 1);
    requireAtLeast("publishTimeout", publishTimeout.toMillis(), 1);
    requireAtLeast("responseTimeout", responseTimeout.toMillis(), 1);
    requireAtLeast("resendAfter", resendAfter.toMillis(), 1);
  }

  private static void requireAtLeast(String name, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(name + " must be at least " + min + ", not " + value);
    }
  }
}
