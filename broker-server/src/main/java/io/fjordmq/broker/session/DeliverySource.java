package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * Where the messages of QoS 1 and 2 of a session come from, and who is told what became of them:
 * memory, if the session ends with its connection; an inbox, if it outlives it.
 */
sealed interface DeliverySource permits MemoryQueue, InboxSource {

  /**
   * The next message; null if there is none at hand. A source that has to fetch one does so and
   * calls {@link OutboundPublishes#pump} when it is there.
   */
  @Nullable Delivery peek();

  /** Sequence of what {@link #peek} shows. */
  long sequence();

  /** True if what {@link #peek} shows may have been sent by an earlier connection. */
  boolean mayBeRepeated();

  /** Takes away what {@link #peek} shows: sent, or not to be sent. */
  void remove();

  /**
   * The client has a QoS 2 message (PUBREC). Calls {@link OutboundPublishes#sendRelease} when that
   * is as durable as the session.
   */
  void received(long sequence);

  /** Messages were acknowledged since the last call; called once per batch. */
  void settled();
}
