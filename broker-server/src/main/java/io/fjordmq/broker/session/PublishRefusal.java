package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.limits.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a valid PUBLISH is refused. MQTT 5 clients get the reason code in the PUBACK or
 * PUBREC. In MQTT 3, a publish can only be refused by closing the connection, after which the
 * client would resend the same message forever. Therefore, the publish is acknowledged (MQTT 3.1.1
 * §3.3.5), and the message is dropped and counted like a QoS 0 message.
 */
enum PublishRefusal {
  NOT_AUTHORIZED(0x87, DropReason.NOT_AUTHORIZED),
  PAYLOAD_TOO_LARGE(0x97, DropReason.PAYLOAD_TOO_LARGE),
  /** The node is overloaded. MQTT 3 clients are throttled instead. */
  OVERLOADED(0x97, DropReason.OVERLOADED),
  /** Only the broker may publish to {@code $SYS}. */
  RESERVED_TOPIC(0x87, DropReason.RESERVED_TOPIC);

  private static final int NO_MATCHING_SUBSCRIBERS = 0x10;

  private final int reasonCode;
  private final DropReason dropReason;

  PublishRefusal(int reasonCode, DropReason dropReason) {
    this.reasonCode = reasonCode;
    this.dropReason = dropReason;
  }

  /**
   * Checks everything except access rules, and records a reached limit or overload; returns null if
   * the message is accepted.
   */
  static @Nullable PublishRefusal of(Message message, Connection connection) {
    int max = connection.settings().maxPayloadBytes();
    if (max > 0 && message.payload().length > max) {
      connection.recordLimitReached(Limit.PAYLOAD_BYTES);
      return PAYLOAD_TOO_LARGE;
    }
    if (message.topic().isSysTopic()) {
      return RESERVED_TOPIC;
    }
    return connection.services().overload().isOverloaded()
        ? refusalWhileOverloaded(message, connection)
        : null;
  }

  /**
   * Refuses a message because the node is overloaded. A QoS 1 or 2 publish in MQTT 3 cannot be
   * refused, so it is accepted and reading from the client stops.
   */
  private static @Nullable PublishRefusal refusalWhileOverloaded(
      Message message, Connection connection) {
    boolean atMostOnce = message.qos() == Qos.AT_MOST_ONCE;
    if (!atMostOnce && !connection.dialect().reportsOutcome()) {
      connection.throttle().stopReadingWhileOverloaded();
      return null;
    }
    connection
        .observer()
        .onRefusedAsOverloaded(atMostOnce ? RejectedWork.PUBLISH_QOS0 : RejectedWork.PUBLISH);
    return OVERLOADED;
  }

  /** Returns the reason code of an MQTT 5 PUBACK or PUBREC for this outcome. */
  static int reasonCode(PublishOutcome outcome) {
    return switch (outcome) {
      case NO_MATCHING_SUBSCRIBERS -> NO_MATCHING_SUBSCRIBERS;
      case QUOTA_EXCEEDED, LOW_DISK_SPACE, NODE_CONGESTED -> OVERLOADED.reasonCode;
      case ACCEPTED, NOT_DURABLE, NOT_SERVING -> 0; // the last two are not acknowledged
    };
  }

  /** The limit that was reached; null for other reasons. */
  @Nullable Limit limit() {
    return this == PAYLOAD_TOO_LARGE ? Limit.PAYLOAD_BYTES : null;
  }

  /** The reason code of an MQTT 5 PUBACK or PUBREC. */
  int reasonCode() {
    return reasonCode;
  }

  /** The drop reason that is counted if the publisher gets no reason code. */
  DropReason dropReason() {
    return dropReason;
  }
}
