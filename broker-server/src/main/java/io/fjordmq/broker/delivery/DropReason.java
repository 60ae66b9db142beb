package io.fjordmq.broker.delivery;

import java.util.Locale;

/** Why a copy of a message was dropped on its way to a receiver. */
public enum DropReason {
  /** QoS 0 for a persistent session that is not connected (MQTT 5.0 §3.1.2.11.2 allows it). */
  QOS0_OFFLINE,
  /** A receiving event loop had {@link DeliverySettings#mailboxCapacity} waiting. */
  MAILBOX_FULL,
  /** The receiving event loop has ended: the broker is closing. */
  LOOP_CLOSED,
  /** No member of the share could take it. */
  NO_SHARE_MEMBER,
  /** A member of the share went away, and the inbox of the next one could not store it. */
  SHARE_NOT_STORED,
  /** The stream to the node of the receivers was full, and it was of QoS 0. */
  NODE_CONGESTED,
  /** This node may not know all receivers at the moment, and it was of QoS 0. */
  NOT_SERVING,
  /** The session failed to take it; the log has the exception. */
  FAULT;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The metric label. */
  public String label() {
    return label;
  }
}
