package io.fjordmq.broker.delivery;

/** The outcome of a PUBLISH, which determines the PUBACK or PUBREC. Ordered from best to worst. */
public enum PublishOutcome {
  /**
   * Durable in all matching persistent sessions and the retain store, and handed to the live
   * sessions.
   */
  ACCEPTED,
  /** The same, but there are no matching subscribers (MQTT 5: 0x10). */
  NO_MATCHING_SUBSCRIBERS,
  /**
   * Refused because of a limit (MQTT 5: 0x97): retained messages, or an inbox that refuses when
   * full.
   */
  QUOTA_EXCEEDED,
  /**
   * It would have to be stored, but disk space is low: it was neither stored nor delivered (MQTT 5:
   * 0x97; for MQTT 3 it must not be acknowledged, so the connection is closed).
   */
  LOW_DISK_SPACE,
  /**
   * The stream to a node with live receivers is full: it was neither stored nor delivered (MQTT 5:
   * 0x97; MQTT 3 as for {@link #LOW_DISK_SPACE}).
   */
  NODE_CONGESTED,
  /**
   * This node's lease has expired or it is not admitted yet, so it may not know all receivers: it
   * was neither stored nor delivered (MQTT 5: 0x83; MQTT 3 as for {@link #LOW_DISK_SPACE}).
   */
  NOT_SERVING,
  /** It may not be durable everywhere, so it must not be acknowledged. The connection is closed. */
  NOT_DURABLE;

  /** Whether the publish was refused as a whole, so that it can be repeated like a new one. */
  public boolean isRefusal() {
    return this == LOW_DISK_SPACE || this == NODE_CONGESTED || this == NOT_SERVING;
  }
}
