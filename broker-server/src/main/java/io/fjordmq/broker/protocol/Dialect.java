package io.fjordmq.broker.protocol;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.limits.SessionSettings;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import org.jspecify.annotations.Nullable;

/** The differences between MQTT 3.1, 3.1.1 and 5, for one connection. */
public sealed interface Dialect permits Mqtt3Dialect, Mqtt5Dialect {

  /** Creates the dialect for the client that sent the CONNECT. */
  static Dialect of(ConnectRequest request, SessionSettings settings) {
    return request.isMqtt5()
        ? new Mqtt5Dialect(request, settings)
        : new Mqtt3Dialect(request, settings);
  }

  /** Returns the CONNACK for an accepted client. */
  MqttMessage connAck(boolean sessionPresent);

  /**
   * Returns the DISCONNECT for this reason; null if the protocol version has none.
   *
   * @param serverReference another server for the client to use; empty for none
   */
  @Nullable MqttMessage disconnect(CloseReason reason, String detail, String serverReference);

  /** Reads a client's DISCONNECT. */
  ClientDisconnect readDisconnect(MqttMessage disconnect);

  /**
   * The contents of a client's DISCONNECT.
   *
   * @param reason {@code CLIENT_DISCONNECT} or {@code CLIENT_DISCONNECT_WITH_WILL}
   * @param expirySeconds the new session expiry interval; negative if unchanged
   */
  record ClientDisconnect(CloseReason reason, long expirySeconds) {}

  /**
   * Reads the message of a PUBLISH. The payload is copied.
   *
   * @throws ProtocolViolation if the packet violates the protocol
   */
  Message readPublish(MqttPublishMessage packet, String publisher, long nowMillis);

  /**
   * Writes a PUBACK, PUBREC, PUBREL or PUBCOMP.
   *
   * @param firstByte the first byte of the packet
   * @param reasonCode ignored if the protocol version has none
   */
  void writeReply(PacketSink out, int firstByte, int packetIdentifier, int reasonCode);

  /** Whether acknowledgements of PUBLISH and UNSUBSCRIBE carry reason codes. */
  boolean reportsOutcome();

  /**
   * Reads the options of one filter in a SUBSCRIBE.
   *
   * @param bits the byte that follows the filter
   * @param subscriptionIdentifier the subscription identifier of the packet; 0 if it has none
   * @throws ProtocolViolation if a reserved bit or value is used
   */
  SubscriptionOptions readOptions(int bits, int subscriptionIdentifier);

  /** The result of {@link #subAckCode} if the connection must be closed instead. */
  int MUST_CLOSE = -1;

  /**
   * Returns the SUBACK code for a filter that was refused with this reason code.
   *
   * @param requested the requested QoS
   */
  int subAckCode(int reasonCode, Qos requested);

  /**
   * Returns the part of the PUBLISH before its payload, as a template for {@link PublishEncoder}.
   */
  byte[] publishHead(Delivery delivery);

  /** Returns the remaining Message Expiry Interval in seconds; negative if the packet has none. */
  long expirySeconds(Message message, long nowMillis);

  /** The client's Maximum Packet Size in bytes. */
  int maxPacketBytes();
}
