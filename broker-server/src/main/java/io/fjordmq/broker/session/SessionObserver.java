package io.fjordmq.broker.session;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.protocol.CloseReason;

/**
 * Receives the events of sessions, for metrics. Called on event loops for every message, so
 * implementations must only update counters.
 */
public interface SessionObserver {

  /** A client has connected. */
  default void onConnected(int protocolLevel, boolean persistent) {}

  /** A connection ended before its CONNACK. */
  default void onRefused(CloseReason reason) {}

  /** A connected client has disconnected. */
  default void onDisconnected(CloseReason reason) {}

  /**
   * A packet was received.
   *
   * @param type the MQTT packet type, from 1 (CONNECT) to 15 (AUTH)
   */
  default void onPacketReceived(int type) {}

  /** A PUBLISH was received; {@code bytes} is the size of the whole packet. */
  default void onReceived(Qos qos, int bytes) {}

  /** A PUBLISH was sent; {@code bytes} is the size of the whole packet. */
  default void onSent(Qos qos, int bytes) {}

  /** Messages to a client were dropped. */
  default void onDropped(DropReason reason, long count) {}

  /** A QoS 1 or 2 PUBLISH was acknowledged this many nanoseconds after it was read. */
  default void onAcknowledged(long nanos) {}

  /**
   * A sampled PUBLISH was written to a subscriber this many milliseconds after it was accepted; see
   * {@link DeliveryLatency}.
   */
  default void onDelivered(long millis) {}

  /** The number of QoS 1 and 2 messages in flight to clients has changed. */
  default void addInflight(int delta) {}

  /** The number and bytes of messages queued in memory for clients have changed. */
  default void addQueued(int deltaMessages, long deltaBytes) {}

  /**
   * A client reached a limit.
   *
   * @param tenant the tenant; empty if it does not have its own limits
   */
  default void onLimitReached(Limit limit, String tenant) {}

  /** The node is overloaded and rejected this work. */
  default void onRefusedAsOverloaded(RejectedWork work) {}

  /** The node is not serving clients and rejected this work. */
  default void onRefusedAsNotServing(RejectedWork work) {}

  /** Packets with this many bytes in total were received. */
  default void onRead(long bytes) {}

  /** Packets with this many bytes in total were sent. */
  default void onWritten(int packets, long bytes) {}

  /** The number of subscriptions of connected transient sessions has changed. */
  default void addSubscriptions(int delta) {}

  /** Back-pressure on a connection began (true) or ended (false). */
  default void onBackPressureChanged(boolean held) {}
}
