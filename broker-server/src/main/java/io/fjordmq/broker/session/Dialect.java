package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.delivery.Delivery;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import org.jspecify.annotations.Nullable;

/** Everything in which MQTT 3.1 and 3.1.1 differ from MQTT 5, for one connection. */
sealed interface Dialect permits Mqtt3Dialect, Mqtt5Dialect {

  /** A dialect for the client that sent the CONNECT. */
  static Dialect of(ConnectRequest request, SessionSettings settings) {
    return request.isMqtt5()
        ? new Mqtt5Dialect(request, settings)
        : new Mqtt3Dialect(request, new TopicLimits(settings));
  }

  /** The CONNACK of an accepted client. */
  MqttMessage accepted(boolean sessionPresent);

  /**
   * The DISCONNECT that says why; null if the protocol has none for it.
   *
   * @param serverReference where the client should go instead; empty for nowhere
   */
  @Nullable MqttMessage disconnect(CloseReason reason, String detail, String serverReference);

  /** What the client's DISCONNECT says. */
  ClientDisconnect readDisconnect(MqttMessage disconnect);

  /**
   * A client's last word.
   *
   * @param reason why it goes
   * @param expirySeconds the new session expiry; negative if it stays
   */
  record ClientDisconnect(CloseReason reason, long expirySeconds) {}

  /**
   * The message of a PUBLISH; the payload is copied.
   *
   * @throws ProtocolViolation if it is not what the protocol allows
   */
  Message readPublish(MqttPublishMessage packet, String publisher, long nowMillis);

  /**
   * Writes a PUBACK, PUBREC, PUBREL or PUBCOMP.
   *
   * @param firstByte of the packet
   * @param reasonCode dropped where the protocol has none
   */
  void writeReply(PacketWriter out, int firstByte, int packetIdentifier, int reasonCode);

  /** True if acknowledgements say what became of a PUBLISH or UNSUBSCRIBE. */
  boolean tellsOutcome();

  /** The options of one filter of a SUBSCRIBE. */
  SubscriptionOptions options(MqttSubscribeMessage packet, MqttTopicSubscription filter);

  /** {@link #refusedSubscription} if only the end of the connection can tell it. */
  int CANNOT_BE_TOLD = -1;

  /**
   * What stands in a SUBACK for a filter that was refused with this reason code.
   *
   * @param asked QoS
   */
  int refusedSubscription(int reasonCode, Qos asked);

  /** Everything of the PUBLISH before its payload, as a template for {@link PublishEncoder}. */
  byte[] head(Delivery delivery);

  /** Seconds left to a message for the packet; negative if the packet does not say. */
  long expirySeconds(Message message, long nowMillis);

  /** Bytes of the largest packet the client takes. */
  int maxPacketBytes();
}
