package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.Will;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.netty.handler.codec.mqtt.MqttConnectVariableHeader;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns a decoded CONNECT into a {@link ConnectRequest}, or says what is wrong with it. */
final class ConnectReader {
  private static final byte[] NO_PAYLOAD = {};

  private final SessionSettings settings;

  ConnectReader(SessionSettings settings) {
    this.settings = settings;
  }

  /**
   * @throws ProtocolViolation with the reason the CONNACK has to carry
   */
  ConnectRequest read(MqttConnectMessage connect) {
    MqttConnectVariableHeader header = connect.variableHeader();
    MqttConnectPayload payload = connect.payload();
    PropertyView properties = new PropertyView(header.properties());
    boolean mqtt5 = header.version() >= 5;
    requireNoExtendedAuthentication(properties, header.version());
    boolean assigned = payload.clientIdentifier().isEmpty();
    String clientId = assigned ? assign(header) : requireValid(payload, header.version());
    long requestedExpiry = requestedExpiry(header, properties);
    int keepAlive = grantedKeepAlive(header.keepAliveTimeSeconds(), mqtt5);
    long receiveMaximum = properties.number(MqttProperties.RECEIVE_MAXIMUM, 65_535);
    int maxPacketBytes = maxPacketBytes(connect);
    if (receiveMaximum == 0 || maxPacketBytes == 0) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "receive maximum and maximum packet size must not be 0",
          header.version());
    }
    ConnectRequest request =
        new ConnectRequest(
            header.version(),
            clientId,
            assigned,
            header.isCleanSession(),
            Math.min(requestedExpiry, settings.maxSessionExpirySeconds()),
            requestedExpiry,
            keepAlive,
            keepAlive != header.keepAliveTimeSeconds(),
            (int) receiveMaximum,
            maxPacketBytes,
            (int) properties.number(MqttProperties.TOPIC_ALIAS_MAXIMUM, 0),
            properties.number(MqttProperties.REQUEST_PROBLEM_INFORMATION, 1) == 1,
            payload.userName(),
            payload.passwordInBytes(),
            header.isWillFlag() ? will(header, payload, clientId) : null);
    if (mqtt5 && Mqtt5Dialect.acceptedBytes(request, settings) > maxPacketBytes) {
      throw new ProtocolViolation(
          CloseReason.PACKET_TOO_LARGE, "the CONNACK is larger than the client takes");
    }
    return request;
  }

  /** Bytes of the largest packet the client takes; 0 if it says so, which is an error. */
  static int maxPacketBytes(MqttConnectMessage connect) {
    PropertyView properties = new PropertyView(connect.variableHeader().properties());
    long bytes =
        properties.number(MqttProperties.MAXIMUM_PACKET_SIZE, SessionSettings.LARGEST_PACKET);
    return (int) Math.min(bytes, SessionSettings.LARGEST_PACKET);
  }

  private static void requireNoExtendedAuthentication(PropertyView properties, int version) {
    if (properties.has(MqttProperties.AUTHENTICATION_METHOD)) {
      throw new ProtocolViolation(
          CloseReason.BAD_AUTHENTICATION_METHOD,
          "authentication method " + properties.text(MqttProperties.AUTHENTICATION_METHOD),
          version);
    }
    if (properties.has(MqttProperties.AUTHENTICATION_DATA)) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "authentication data without a method", version);
    }
  }

  private static String assign(MqttConnectVariableHeader header) {
    boolean allowed = header.version() >= 5 || (header.version() == 4 && header.isCleanSession());
    if (!allowed) {
      // MQTT 3.1.1 §3.1.3.1: only a clean session may leave its name to the server; 3.1 never.
      throw new ProtocolViolation(
          CloseReason.CLIENT_IDENTIFIER_NOT_VALID, "empty client identifier", header.version());
    }
    return "fjord-" + UUID.randomUUID();
  }

  private String requireValid(MqttConnectPayload payload, int version) {
    String clientId = payload.clientIdentifier();
    int bytes = ByteBufUtil.utf8Bytes(clientId);
    if (bytes > settings.maxClientIdBytes()) {
      throw new ProtocolViolation(
          CloseReason.CLIENT_IDENTIFIER_NOT_VALID,
          "client identifier of " + bytes + " bytes, allowed are " + settings.maxClientIdBytes(),
          version);
    }
    return clientId;
  }

  private long requestedExpiry(MqttConnectVariableHeader header, PropertyView properties) {
    if (header.version() >= 5) {
      return properties.number(MqttProperties.SESSION_EXPIRY_INTERVAL, 0);
    }
    return header.isCleanSession() ? 0 : settings.mqtt3SessionExpirySeconds();
  }

  private int grantedKeepAlive(int asked, boolean mqtt5) {
    if (asked == 0) {
      return settings.defaultKeepAliveSeconds();
    }
    int most = settings.maxKeepAliveSeconds();
    // Only MQTT 5 clients can be told, so only they can be held to less than they asked for.
    return mqtt5 && most > 0 ? Math.min(asked, most) : asked;
  }

  private Will will(MqttConnectVariableHeader header, MqttConnectPayload payload, String clientId) {
    PropertyView properties = new PropertyView(payload.willProperties());
    byte[] bytes = payload.willMessageInBytes();
    Message message =
        new Message(
            willTopic(payload.willTopic(), header.version()),
            bytes == null ? NO_PAYLOAD : bytes,
            Qos.of(header.willQos()),
            header.isWillRetain(),
            header.version() >= 5 ? properties.ofMessage() : MessageProperties.NONE,
            clientId,
            0,
            Message.NEVER);
    return new Will(
        message,
        properties.number(MqttProperties.WILL_DELAY_INTERVAL, 0),
        properties.number(MqttProperties.PUBLICATION_EXPIRY_INTERVAL, Will.NO_EXPIRY));
  }

  private Topic willTopic(@Nullable String name, int version) {
    try {
      // Netty gives null for will topics longer than 32,767 bytes.
      Topic topic = new Topic(Objects.requireNonNullElse(name, ""));
      new TopicLimits(settings).check(topic.name(), CloseReason.TOPIC_NAME_INVALID);
      return topic;
    } catch (IllegalArgumentException e) {
      throw new ProtocolViolation(
          CloseReason.TOPIC_NAME_INVALID, "will: " + e.getMessage(), version);
    }
  }
}
