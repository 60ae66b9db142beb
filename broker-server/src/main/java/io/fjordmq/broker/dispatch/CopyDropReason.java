package io.fjordmq.broker.dispatch;

import java.util.Locale;

/** Why a copy of a message was dropped on its way to a receiver. */
public enum CopyDropReason {
  /** QoS 0 for a persistent session that is not connected (MQTT 5.0 §3.1.2.11.2 allows it). */
  QOS0_OFFLINE,
  /**
   * The mailbox of the receiving event loop was full ({@link DeliverySettings#mailboxCapacity}).
   */
  MAILBOX_FULL,
  /** The receiving event loop has ended: the broker is closing. */
  LOOP_CLOSED,
  /** No member of the share could take it, or none is allowed to read it. */
  NO_SHARE_MEMBER,
  /** A share member disconnected, and the inbox of the next one could not store it. */
  SHARE_NOT_STORED,
  /** A QoS 0 message for another node, whose stream was full. */
  NODE_CONGESTED,
  /**
   * This node's lease has expired. It may not know all receivers of a QoS 0 message. Or the share
   * member chosen for a QoS 0 or 2 message has disconnected, and nodes that consider this one down
   * may have given the message to another member.
   */
  NOT_SERVING,
  /** The session threw on delivery; the log has the exception. */
  FAULT;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The metric label. */
  public String label() {
    return label;
  }
}
