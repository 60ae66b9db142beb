package io.fjordmq.broker.delivery;

import java.util.Locale;

/** Why a copy of a message was dropped on its way to a receiver. */
public enum CopyDropReason {
  /** QoS 0 for a persistent session that is not connected (MQTT 5.0 §3.1.2.11.2 allows it). */
  QOS0_OFFLINE,
  /** A receiving event loop had {@link DeliverySettings#mailboxCapacity} waiting. */
  MAILBOX_FULL,
  /** The receiving event loop has ended: the broker is closing. */
  LOOP_CLOSED,
  /** No member of the share could take it, or none may read it. */
  NO_SHARE_MEMBER,
  /** A member of the share went away, and the inbox of the next one could not store it. */
  SHARE_NOT_STORED,
  /** The stream to the node of the receivers was full, and it was of QoS 0. */
  NODE_CONGESTED,
  /**
   * This node's lease has run out. It may not know all receivers of a message of QoS 0; or the
   * member of a share has gone that was to get one of QoS 0 or 2, and others, who may count this
   * node as down, may have given it to another member.
   */
  NOT_SERVING,
  /** The session failed to take it; the log has the exception. */
  FAULT;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The metric label. */
  public String label() {
    return label;
  }
}
