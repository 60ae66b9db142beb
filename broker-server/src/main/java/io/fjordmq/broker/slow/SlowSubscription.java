package io.fjordmq.broker.slow;

import java.util.Comparator;

/**
 * A client that received messages of a topic late.
 *
 * @param topic the topic of the messages, not the filter of the subscription
 * @param latencyMillis the highest latency since the entry was created
 * @param updatedAtMillis when a message was late most recently, in epoch milliseconds
 */
public record SlowSubscription(
    String tenant, String clientId, String topic, long latencyMillis, long updatedAtMillis) {
  /** Slowest first. */
  public static final Comparator<SlowSubscription> SLOWEST_FIRST =
      Comparator.comparingLong(SlowSubscription::latencyMillis)
          .reversed()
          .thenComparing(SlowSubscription::tenant)
          .thenComparing(SlowSubscription::clientId)
          .thenComparing(SlowSubscription::topic);
}
