package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.limits.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Why a PUBLISH is not taken although it keeps to the protocol. MQTT 5 clients are told with the
 * PUBACK or PUBREC. Others cannot be told without ending the connection, which would block the
 * client for ever behind a message nobody takes: theirs are acknowledged (MQTT 3.1.1 §3.3.5),
 * dropped and counted, like those of QoS 0.
 */
enum PublishRefusal {
  NOT_AUTHORIZED(0x87, DropReason.NOT_AUTHORIZED),
  PAYLOAD_TOO_LARGE(0x97, DropReason.PAYLOAD_TOO_LARGE),
  /** The node has too much to do. MQTT 3 clients are held back instead. */
  OVERLOADED(0x97, DropReason.OVERLOADED),
  /** {@code $SYS} is the broker's own. */
  RESERVED_TOPIC(0x87, DropReason.RESERVED_TOPIC);

  private static final int NO_MATCHING_SUBSCRIBERS = 0x10;

  private final int reasonCode;
  private final DropReason dropReason;

  PublishRefusal(int reasonCode, DropReason dropReason) {
    this.reasonCode = reasonCode;
    this.dropReason = dropReason;
  }

  /** What refuses a client's message whatever it may publish; null if nothing does. Counts it. */
  static @Nullable PublishRefusal of(Message message, Connection connection) {
    int most = connection.settings().maxPayloadBytes();
    if (most > 0 && message.payload().length > most) {
      connection.reached(Limit.PAYLOAD_BYTES);
      return PAYLOAD_TOO_LARGE;
    }
    if (ReservedTopics.isReserved(message.topic())) {
      return RESERVED_TOPIC;
    }
    return connection.services().overload().isOverloaded()
        ? whileOverloaded(message, connection)
        : null;
  }

  /** Who cannot be refused is slowed: this publish is taken, and then the client is not read. */
  private static @Nullable PublishRefusal whileOverloaded(Message message, Connection connection) {
    boolean atMostOnce = message.qos() == Qos.AT_MOST_ONCE;
    if (!atMostOnce && !connection.dialect().tellsOutcome()) {
      connection.throttle().holdBackWhileOverloaded();
      return null;
    }
    connection
        .observer()
        .refusedAsOverloaded(atMostOnce ? RejectedWork.PUBLISH_QOS0 : RejectedWork.PUBLISH);
    return OVERLOADED;
  }

  /** Of the PUBACK or PUBREC of MQTT 5 for a message whose outcome is known. */
  static int reasonCode(PublishOutcome outcome) {
    return switch (outcome) {
      case NO_MATCHING_SUBSCRIBERS -> NO_MATCHING_SUBSCRIBERS;
      case QUOTA_EXCEEDED, NO_ROOM, NODE_CONGESTED -> OVERLOADED.reasonCode;
      case ACCEPTED, NOT_DURABLE, NOT_SERVING -> 0; // the last two are not answered
    };
  }

  /** Of the PUBACK or PUBREC of MQTT 5. */
  int reasonCode() {
    return reasonCode;
  }

  /** What is counted if the publisher cannot be told. */
  DropReason dropReason() {
    return dropReason;
  }
}
