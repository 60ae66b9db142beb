package io.fjordmq.broker.dispatch;

import java.util.Locale;

/** The reason why a copy of a message was dropped on its way to a receiver. */
public enum CopyDropReason {
  /**
   * The message had QoS 0, and the persistent session was not connected (allowed by MQTT 5.0
   * §3.1.2.11.2).
   */
  QOS0_OFFLINE,
  /**
   * The mailbox of the receiving event loop was full ({@link DeliverySettings#mailboxCapacity}).
   */
  MAILBOX_FULL,
  /** The receiving event loop had ended because the broker was closing. */
  LOOP_CLOSED,
  /** No member of the share could accept the message or was allowed to read it. */
  NO_SHARE_MEMBER,
  /**
   * A share member disconnected, and the message could not be stored in the inbox of the next
   * member.
   */
  SHARE_NOT_STORED,
  /** The message had QoS 0, and the stream to the receiving node was full. */
  NODE_CONGESTED,
  /**
   * This node's lease had expired. Either the node might not have known all receivers of a QoS 0
   * message, or the share member chosen for a QoS 0 or 2 message disconnected and nodes that
   * considered this node down might already have delivered the message to another member.
   */
  NOT_SERVING,
  /** The session threw an exception on delivery, which was logged. */
  FAULT;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The metric label. */
  public String label() {
    return label;
  }
}
