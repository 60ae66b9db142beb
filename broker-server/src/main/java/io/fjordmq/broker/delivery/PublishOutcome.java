package io.fjordmq.broker.delivery;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The outcome of a PUBLISH, which determines the PUBACK or PUBREC. Ordered from best to worst. */
public enum PublishOutcome {
  /**
   * The message is durable in all matching persistent sessions and in the retain store, and has
   * been handed to the live sessions.
   */
  ACCEPTED,
  /** Like {@link #ACCEPTED}, but there are no matching subscribers (MQTT 5: 0x10). */
  NO_MATCHING_SUBSCRIBERS,
  /**
   * The message was refused because of a limit (MQTT 5: 0x97): the quota of retained messages, or a
   * full inbox that rejects new messages.
   */
  QUOTA_EXCEEDED,
  /**
   * The message must be stored but disk space is low, so it was neither stored nor delivered (MQTT
   * 5: 0x97; MQTT 3 has no negative acknowledgement, so the connection is closed).
   */
  LOW_DISK_SPACE,
  /**
   * The stream to a node with live receivers is full, so the message was neither stored nor
   * delivered (MQTT 5: 0x97; MQTT 3: as for {@link #LOW_DISK_SPACE}).
   */
  NODE_CONGESTED,
  /**
   * This node's lease has expired or the node has not been admitted yet, so it may not know all
   * receivers. The message was neither stored nor delivered (MQTT 5: 0x83; MQTT 3: as for {@link
   * #LOW_DISK_SPACE}).
   */
  NOT_SERVING,
  /**
   * The message may not be durable everywhere, so it must not be acknowledged. The connection is
   * closed.
   */
  NOT_DURABLE;

  /**
   * Whether the message was refused entirely, so that the publisher can resend it like a new
   * message.
   */
  public boolean isRefusal() {
    return this == LOW_DISK_SPACE || this == NODE_CONGESTED || this == NOT_SERVING;
  }

  /** The error type of this outcome in spans; null for success. */
  public @Nullable String error() {
    return this == ACCEPTED || this == NO_MATCHING_SUBSCRIBERS
        ? null
        : name().toLowerCase(Locale.ROOT);
  }
}
