package io.fjordmq.broker.protocol;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
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
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import org.jspecify.annotations.Nullable;

/**
 * The dialect of MQTT 5, with properties, reason codes and topic aliases. Holds the topic aliases
 * of the connection.
 */
final class Mqtt5Dialect implements Dialect {
  private static final int ADMINISTRATIVE_ACTION = 0x98;
  private static final int DISCONNECT_WITH_WILL = 0x04;

  /** The smallest Maximum Packet Size into which every packet with a Reason String fits. */
  private static final int MIN_PACKET_FOR_REASON_STRING = 512;

  private static final int MAX_REASON_STRING_BYTES = 256;

  /** An upper bound for the number of bytes that an alias adds to the packet that introduces it. */
  private static final int ALIAS_BYTES = 8;

  private final ConnectRequest request;
  private final SessionSettings settings;
  private @Nullable TopicAliases aliases; // null until an alias is used
  private @Nullable Topic lastTopic;

  Mqtt5Dialect(ConnectRequest request, SessionSettings settings) {
    this.request = request;
    this.settings = settings;
  }

  private TopicAliases aliases() {
    TopicAliases present = aliases;
    if (present == null) {
      present = new TopicAliases(settings.topicAliasMaximum(), outboundAliases());
      aliases = present;
    }
    return present;
  }

  /** The number of aliases for messages to the client. */
  private int outboundAliases() {
    return Math.min(request.topicAliasMaximum(), settings.outboundTopicAliases());
  }

  @Override
  public MqttMessage connAck(boolean sessionPresent) {
    return new MqttConnAckMessage(
        new MqttFixedHeader(MqttMessageType.CONNACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
        new MqttConnAckVariableHeader(
            MqttConnectReturnCode.CONNECTION_ACCEPTED,
            sessionPresent,
            connAckProperties(request, settings)));
  }

  /** Returns the size in bytes of the CONNACK that accepts the client. */
  static int connAckBytes(ConnectRequest request, SessionSettings settings) {
    int bytes = 0;
    for (MqttProperties.MqttProperty<?> property : connAckProperties(request, settings).listAll()) {
      bytes +=
          switch (property.propertyId()) {
            case MqttProperties.ASSIGNED_CLIENT_IDENTIFIER ->
                3 + ByteBufUtil.utf8Bytes((String) property.value());
            case MqttProperties.AUTHENTICATION_METHOD ->
                3 + ByteBufUtil.utf8Bytes((String) property.value());
            case MqttProperties.AUTHENTICATION_DATA -> 3 + ((byte[]) property.value()).length;
            case MqttProperties.SESSION_EXPIRY_INTERVAL, MqttProperties.MAXIMUM_PACKET_SIZE -> 5;
            default -> 3;
          };
    }
    return PacketFramer.packetBytes(2 + PacketFramer.integerBytes(bytes) + bytes);
  }

  private static MqttProperties connAckProperties(
      ConnectRequest request, SessionSettings settings) {
    MqttProperties properties = new MqttProperties();
    if (request.expirySeconds() != request.requestedExpirySeconds()) {
      add(properties, MqttProperties.SESSION_EXPIRY_INTERVAL, (int) request.expirySeconds());
    }
    add(properties, MqttProperties.RECEIVE_MAXIMUM, settings.receiveMaximum());
    add(properties, MqttProperties.MAXIMUM_PACKET_SIZE, settings.maxPacketBytes());
    if (request.assignedClientId()) {
      properties.add(
          new StringProperty(MqttProperties.ASSIGNED_CLIENT_IDENTIFIER, request.clientId()));
    }
    if (settings.topicAliasMaximum() > 0) {
      add(properties, MqttProperties.TOPIC_ALIAS_MAXIMUM, settings.topicAliasMaximum());
    }
    if (request.needsServerKeepAlive()) {
      add(properties, MqttProperties.SERVER_KEEP_ALIVE, request.keepAliveSeconds());
    }
    String method = request.authenticationMethod();
    if (method != null) {
      // MQTT-4.12.0-5. If the CONNECT has no method, neither has the CONNACK (MQTT-4.12.0-6).
      byte[] data = request.authenticationData();
      AuthPacket.addTo(properties, method, data == null ? AuthPacket.NO_DATA : data);
    }
    // Maximum QoS, Retain, Wildcard, Subscription Identifier and Shared Subscription Available are
    // omitted, because the default is that all of them are supported (MQTT 5.0 §3.2.2.3).
    return properties;
  }

  private static void add(MqttProperties properties, int id, int value) {
    properties.add(new IntegerProperty(id, value));
  }

  @Override
  public @Nullable MqttMessage disconnect(
      CloseReason reason, String detail, String serverReference) {
    if (reason.reasonCode() < 0) {
      return null;
    }
    MqttProperties properties = new MqttProperties();
    if (request.maxPacketBytes() >= MIN_PACKET_FOR_REASON_STRING) {
      if (request.problemInformation()) {
        String text = detail.substring(0, Math.min(detail.length(), MAX_REASON_STRING_BYTES / 3));
        properties.add(new StringProperty(MqttProperties.REASON_STRING, text));
      }
      if (!serverReference.isEmpty()) {
        properties.add(new StringProperty(MqttProperties.SERVER_REFERENCE, serverReference));
      }
    }
    return new MqttMessage(
        new MqttFixedHeader(MqttMessageType.DISCONNECT, false, MqttQoS.AT_MOST_ONCE, false, 0),
        new MqttReasonCodeAndPropertiesVariableHeader((byte) disconnectCode(reason), properties));
  }

  /** Replaces the code for bans, which is only allowed in a CONNACK (MQTT 5.0 §3.14.2.1). */
  private static int disconnectCode(CloseReason reason) {
    return reason == CloseReason.BANNED ? ADMINISTRATIVE_ACTION : reason.reasonCode();
  }

  @Override
  public ClientDisconnect readDisconnect(MqttMessage disconnect) {
    var header = (MqttReasonCodeAndPropertiesVariableHeader) disconnect.variableHeader();
    PropertyView properties = new PropertyView(header.properties());
    long expiry = properties.number(MqttProperties.SESSION_EXPIRY_INTERVAL, -1);
    if (expiry > 0 && request.requestedExpirySeconds() == 0) {
      // MQTT 5.0 §3.14.2.2.2
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "session expiry interval in DISCONNECT must not be set because it was 0 in CONNECT");
    }
    int code = header.reasonCode() & 0xFF;
    // Only "normal disconnection" discards the will (§3.14.4).
    CloseReason reason =
        code == 0 ? CloseReason.CLIENT_DISCONNECT : CloseReason.CLIENT_DISCONNECT_WITH_WILL;
    if (code != 0 && code < DISCONNECT_WITH_WILL) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "invalid DISCONNECT reason code " + code);
    }
    return new ClientDisconnect(reason, Math.min(expiry, settings.maxSessionExpirySeconds()));
  }

  @Override
  public Message readPublish(MqttPublishMessage packet, String publisher, long nowMillis) {
    PropertyView properties = new PropertyView(packet.variableHeader().properties());
    MqttFixedHeader header = packet.fixedHeader();
    Topic topic = resolveTopic(packet.variableHeader().topicName(), properties);
    long expiry = properties.number(MqttProperties.PUBLICATION_EXPIRY_INTERVAL, -1);
    return new Message(
        topic,
        ByteBufUtil.getBytes(packet.payload()),
        Qos.of(header.qosLevel().value()),
        header.isRetain(),
        properties.messageProperties(),
        publisher,
        nowMillis,
        expiry < 0 ? Message.NEVER : nowMillis + expiry * 1_000);
  }

  private Topic resolveTopic(String name, PropertyView properties) {
    int alias = (int) properties.number(MqttProperties.TOPIC_ALIAS, -1);
    if (name.isEmpty()) {
      if (alias < 0) {
        throw new ProtocolViolation(
            CloseReason.PROTOCOL_ERROR, "PUBLISH has neither a topic nor a topic alias");
      }
      return aliases().topicOf(alias);
    }
    Topic topic = lastTopic;
    if (topic == null || !topic.name().equals(name)) {
      topic = Mqtt3Dialect.parseTopic(name, settings);
      lastTopic = topic;
    }
    if (alias >= 0) {
      aliases().learn(alias, topic);
    }
    return topic;
  }

  @Override
  public void writeReply(PacketSink out, int firstByte, int packetIdentifier, int reasonCode) {
    if (reasonCode == 0) {
      out.beginPacket(4).writeByte(firstByte).writeByte(2).writeShort(packetIdentifier);
    } else {
      out.beginPacket(5)
          .writeByte(firstByte)
          .writeByte(3)
          .writeShort(packetIdentifier)
          .writeByte(reasonCode);
    }
  }

  @Override
  public boolean reportsOutcome() {
    return true;
  }

  @Override
  public SubscriptionOptions readOptions(int bits, int subscriptionIdentifier) {
    int qos = bits & 0x03;
    int retainHandling = bits >> 4 & 0x03;
    if ((bits & 0xC0) != 0) {
      throw new ProtocolViolation(
          CloseReason.MALFORMED_PACKET, "reserved bits of the subscription options are set");
    }
    if (qos == 3 || retainHandling == 3) { // MQTT 5.0 §3.8.3.1
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "QoS and retain handling in the subscription options must not be 3");
    }
    return new SubscriptionOptions(
        Qos.of(qos),
        (bits & 0x04) != 0,
        (bits & 0x08) != 0,
        RetainHandling.values()[retainHandling],
        subscriptionIdentifier);
  }

  @Override
  public int subAckCode(int reasonCode, Qos requested) {
    return reasonCode;
  }

  @Override
  public byte[] publishHead(Delivery delivery) {
    byte[] plain = PublishEncoder.template(delivery, true);
    int bytes = plain.length + delivery.message().payload().length;
    if (outboundAliases() == 0 || bytes + ALIAS_BYTES > request.maxPacketBytes()) {
      return plain;
    }
    String topic = delivery.message().topic().name();
    int alias = aliases().aliasOf(topic);
    if (alias > 0) {
      return PublishEncoder.template(delivery, true, "", alias);
    }
    alias = aliases().assign(topic);
    return alias > 0 ? PublishEncoder.template(delivery, true, topic, alias) : plain;
  }

  @Override
  public long expirySeconds(Message message, long nowMillis) {
    long at = message.expiresAtMillis();
    // Rounded up, because 0 would mean that the message has expired.
    return at == Message.NEVER ? -1 : Math.max(1, (at - nowMillis + 999) / 1_000);
  }

  @Override
  public int maxPacketBytes() {
    return request.maxPacketBytes();
  }
}
