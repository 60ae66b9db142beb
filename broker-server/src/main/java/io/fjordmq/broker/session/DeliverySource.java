package io.fjordmq.broker.session;

import io.fjordmq.broker.dispatch.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * Supplies the QoS 1 and 2 messages of a session and records their acknowledgements: in memory for
 * a transient session, in an inbox for a persistent one.
 */
sealed interface DeliverySource permits MemoryQueue, InboxSource {

  /**
   * The next message; null if none is in memory. A source that has to fetch messages then does so
   * and calls {@link OutboundPublishes#pump} when they have arrived.
   */
  @Nullable Delivery peek();

  /** The sequence of the message that {@link #peek} returns. */
  long sequence();

  /** True if an earlier connection may have sent the message that {@link #peek} returns. */
  boolean mayBeDuplicate();

  /** Removes the message that {@link #peek} returns, after it was sent or dropped. */
  void remove();

  /**
   * The client acknowledged a QoS 2 message with PUBREC. Calls {@link OutboundPublishes#sendPubRel}
   * once that is as durable as the session.
   */
  void onPubRec(long sequence);

  /** Messages may have been acknowledged since the last call. Called once per batch. */
  void onAcknowledged();
}
