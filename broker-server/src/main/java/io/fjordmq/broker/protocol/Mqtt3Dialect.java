package io.fjordmq.broker.protocol;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.limits.SessionSettings;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnAckVariableHeader;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import org.jspecify.annotations.Nullable;

/**
 * The dialect of MQTT 3.1 and 3.1.1, which have no properties, and no reason codes after the
 * CONNACK.
 */
final class Mqtt3Dialect implements Dialect {
  private static final int SUBSCRIPTION_FAILURE = 0x80;
  private static final int NOT_AUTHORIZED = 0x87;

  private final ConnectRequest request;
  private final SessionSettings settings;
  // Clients tend to publish to the same topic repeatedly, so the last validated topic is cached.
  private @Nullable Topic lastTopic;

  Mqtt3Dialect(ConnectRequest request, SessionSettings settings) {
    this.request = request;
    this.settings = settings;
  }

  @Override
  public MqttMessage connAck(boolean sessionPresent) {
    // The session-present bit is reserved in MQTT 3.1 (§3.2).
    boolean flag = sessionPresent && request.protocolLevel() > 3;
    return new MqttConnAckMessage(
        new MqttFixedHeader(MqttMessageType.CONNACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
        new MqttConnAckVariableHeader(MqttConnectReturnCode.CONNECTION_ACCEPTED, flag));
  }

  @Override
  public @Nullable MqttMessage disconnect(
      CloseReason reason, String detail, String serverReference) {
    return null;
  }

  @Override
  public ClientDisconnect readDisconnect(MqttMessage disconnect) {
    return new ClientDisconnect(CloseReason.CLIENT_DISCONNECT, -1);
  }

  @Override
  public Message readPublish(MqttPublishMessage packet, String publisher, long nowMillis) {
    String name = packet.variableHeader().topicName();
    Topic topic = lastTopic;
    if (topic == null || !topic.name().equals(name)) {
      topic = parseTopic(name, settings);
      lastTopic = topic;
    }
    MqttFixedHeader header = packet.fixedHeader();
    return new Message(
        topic,
        ByteBufUtil.getBytes(packet.payload()),
        Qos.of(header.qosLevel().value()),
        header.isRetain(),
        MessageProperties.NONE,
        publisher,
        nowMillis,
        Message.NEVER);
  }

  /** Parses a topic name, and validates it against the limits. */
  static Topic parseTopic(String name, SessionSettings settings) {
    try {
      Topic topic = new Topic(name);
      new TopicLimits(settings).check(name, CloseReason.TOPIC_NAME_INVALID, 0);
      return topic;
    } catch (IllegalArgumentException e) {
      throw new ProtocolViolation(CloseReason.TOPIC_NAME_INVALID, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void writeReply(PacketSink out, int firstByte, int packetIdentifier, int reasonCode) {
    out.beginPacket(4).writeByte(firstByte).writeByte(2).writeShort(packetIdentifier);
  }

  @Override
  public boolean reportsOutcome() {
    return false;
  }

  @Override
  public SubscriptionOptions readOptions(int bits, int subscriptionIdentifier) {
    if (bits > 2) {
      throw new ProtocolViolation(
          CloseReason.MALFORMED_PACKET, "requested QoS must be 0, 1 or 2, not " + bits);
    }
    return SubscriptionOptions.ofQos(Qos.of(bits));
  }

  /**
   * In MQTT 3.1, a SUBACK has no failure code. An unauthorized client gets the QoS that it
   * requested (MQTT 3.1 §3.8). For other failures, the connection is closed so that the client does
   * not wait for messages that never arrive.
   */
  @Override
  public int subAckCode(int reasonCode, Qos requested) {
    if (request.protocolLevel() > 3) {
      return SUBSCRIPTION_FAILURE;
    }
    return reasonCode == NOT_AUTHORIZED ? requested.level() : MUST_CLOSE;
  }

  @Override
  public byte[] publishHead(Delivery delivery) {
    return PublishEncoder.template(delivery, false);
  }

  @Override
  public long expirySeconds(Message message, long nowMillis) {
    return -1;
  }

  @Override
  public int maxPacketBytes() {
    return SessionSettings.MAX_PACKET_BYTES;
  }
}
