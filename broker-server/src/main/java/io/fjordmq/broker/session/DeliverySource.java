package io.fjordmq.broker.session;

import io.fjordmq.broker.dispatch.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * Supplies the QoS 1 and 2 messages of a session and records their acknowledgements. A transient
 * session keeps them in memory, a persistent session in an inbox.
 */
sealed interface DeliverySource permits MemoryQueue, InboxSource {

  /**
   * Returns the next message; null if none is in memory. If further messages are stored, the source
   * fetches them and calls {@link OutboundPublishes#pump} once they are in memory.
   */
  @Nullable Delivery peek();

  /** Returns the sequence of the message that {@link #peek} returns. */
  long sequence();

  /** Whether an earlier connection may have sent the message that {@link #peek} returns. */
  boolean mayBeDuplicate();

  /** Removes the message that {@link #peek} returns, after it has been sent or dropped. */
  void remove();

  /**
   * Records that the client acknowledged a QoS 2 message with a PUBREC. Calls {@link
   * OutboundPublishes#sendPubRel} once the record is as durable as the session.
   */
  void onPubRec(long sequence);

  /**
   * Handles the acknowledgements received since the previous call. Called after each batch of
   * packets.
   */
  void onAcknowledged();
}
