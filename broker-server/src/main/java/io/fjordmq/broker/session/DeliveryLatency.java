package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.dispatch.Delivery;

/**
 * Measures how long messages take from their publisher to a subscriber. Cluster time is accurate to
 * about the round-trip time between nodes, so messages from other nodes are measured as well.
 *
 * <p>To cost nothing, it measures only messages accepted in one of 64 milliseconds, chosen by a
 * hash of the time: unlike a counter, this needs no memory, and a message is measured at all of its
 * subscribers or at none.
 */
final class DeliveryLatency {
  /** Factor that spreads consecutive times, and the times of periodic publishers, evenly. */
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** Keeps 6 bits of the hash: one of 64 values is zero. */
  private static final int SHIFT = 58;

  private DeliveryLatency() {}

  static boolean isSampled(Message message) {
    return (message.acceptedAtMillis() * GOLDEN_RATIO) >>> SHIFT == 0;
  }

  /**
   * Reports the latency of a sampled message that has just been written. Ignores messages that have
   * waited for the client to connect or subscribe.
   */
  static void report(Delivery delivery, OutboundPublishes.Client client) {
    long acceptedAt = delivery.message().acceptedAtMillis();
    if (!delivery.retain() && acceptedAt >= client.connectedAtMillis()) {
      client.observer().onDelivered(Math.max(0, client.nowMillis() - acceptedAt));
    }
  }
}
