package io.fjordmq.broker.session;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.limits.Limit;

/**
 * What sessions tell the metrics. Called on event loops for every message: an implementation adds
 * to a counter and returns.
 */
public interface SessionObserver {

  /** A client was accepted. */
  default void connected(int protocolLevel, boolean persistent) {}

  /** A connection ended before it had a session. */
  default void refused(CloseReason reason) {}

  /** An accepted connection ended. */
  default void disconnected(CloseReason reason) {}

  /**
   * A packet came in.
   *
   * @param type its number on the wire, 1 (CONNECT) to 15 (AUTH)
   */
  default void packetReceived(int type) {}

  /** A PUBLISH came in; bytes of the whole packet. */
  default void received(Qos qos, int bytes) {}

  /** A PUBLISH went out; bytes of the whole packet. */
  default void sent(Qos qos, int bytes) {}

  /** Messages did not reach a client. */
  default void dropped(DropReason reason, long count) {}

  /** A PUBLISH of QoS 1 or 2 was answered so many nanoseconds after it was read. */
  default void acknowledged(long nanos) {}

  /** Messages sent with QoS 1 or 2 and not acknowledged yet: change of the number. */
  default void inflight(int delta) {}

  /** Messages waiting in memory for their clients: change of the number and of the bytes. */
  default void queued(int deltaMessages, long deltaBytes) {}

  /**
   * A client has reached a limit.
   *
   * @param tenant whose limit it is; empty if the tenant has none of its own
   */
  default void limitReached(Limit limit, String tenant) {}

  /** The node has too much to do and did not take this. */
  default void refusedAsOverloaded(RejectedWork work) {}

  /** This node does not serve clients at the moment and did not take this. */
  default void refusedAsNotServing(RejectedWork work) {}

  /** Bytes of packets that came in. */
  default void read(long bytes) {}

  /** Packets that went out, and their bytes. */
  default void wrote(int packets, long bytes) {}

  /** Subscriptions of connected transient sessions: change of the number. */
  default void subscribed(int delta) {}

  /** A connection stopped (true) or resumed (false) being read to hold back its client. */
  default void heldBack(boolean held) {}
}
