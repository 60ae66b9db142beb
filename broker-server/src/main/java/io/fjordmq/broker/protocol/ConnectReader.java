package io.fjordmq.broker.protocol;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.Will;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.netty.handler.codec.mqtt.MqttConnectVariableHeader;
import io.netty.handler.codec.mqtt.MqttIdentifierRejectedException;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Validates a decoded CONNECT and converts it to a {@link ConnectRequest}. */
public final class ConnectReader {
  private static final byte[] NO_PAYLOAD = {};

  private final SessionSettings settings;
  private final @Nullable String longWillTopic;

  /** Creates a reader that is only used for {@link #grant}. */
  public ConnectReader(SessionSettings settings) {
    this(settings, null);
  }

  /**
   * @param longWillTopic the will topic of the CONNECT if it is too long for Netty's decoder,
   *     otherwise null
   */
  public ConnectReader(SessionSettings settings, @Nullable String longWillTopic) {
    this.settings = settings;
    this.longWillTopic = longWillTopic;
  }

  /**
   * Reads a CONNECT packet and applies the limits.
   *
   * @throws ProtocolViolation with the reason for the CONNACK
   */
  public ConnectRequest read(MqttConnectMessage connect) {
    MqttConnectVariableHeader header = connect.variableHeader();
    MqttConnectPayload payload = connect.payload();
    PropertyView properties = new PropertyView(header.properties());
    boolean mqtt5 = header.version() >= 5;
    requireMethodWithData(properties, header.version());
    boolean assigned = payload.clientIdentifier().isEmpty();
    String clientId = assigned ? generateClientId(header) : payload.clientIdentifier();
    long requestedExpiry = mqtt5 ? properties.number(MqttProperties.SESSION_EXPIRY_INTERVAL, 0) : 0;
    int keepAlive = header.keepAliveTimeSeconds();
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
            requestedExpiry,
            requestedExpiry,
            keepAlive,
            keepAlive,
            (int) receiveMaximum,
            maxPacketBytes,
            (int) properties.number(MqttProperties.TOPIC_ALIAS_MAXIMUM, 0),
            properties.number(MqttProperties.REQUEST_PROBLEM_INFORMATION, 1) == 1,
            payload.userName(),
            payload.passwordInBytes(),
            properties.text(MqttProperties.AUTHENTICATION_METHOD),
            properties.bytes(MqttProperties.AUTHENTICATION_DATA),
            header.isWillFlag() ? readWill(header, payload, clientId) : null,
            properties.userProperties());
    return grant(request);
  }

  /**
   * Applies the limits of this reader to a request. Called again if the client's tenant has its own
   * limits.
   *
   * @throws ProtocolViolation with the reason for the CONNACK
   */
  public ConnectRequest grant(ConnectRequest request) {
    requireWithinLimits(request);
    long requestedExpiry = request.requestedExpirySeconds();
    if (!request.isMqtt5()) {
      requestedExpiry = request.cleanStart() ? 0 : settings.mqtt3SessionExpirySeconds();
    }
    ConnectRequest granted =
        request.withGranted(
            requestedExpiry,
            Math.min(requestedExpiry, settings.maxSessionExpirySeconds()),
            grantedKeepAlive(request.requestedKeepAliveSeconds(), request.isMqtt5()));
    if (granted.isMqtt5()
        && Mqtt5Dialect.connAckBytes(granted, settings) > granted.maxPacketBytes()) {
      throw new ProtocolViolation(
          CloseReason.PACKET_TOO_LARGE, "CONNACK would exceed the client's maximum packet size");
    }
    return granted;
  }

  private void requireWithinLimits(ConnectRequest request) {
    int version = request.protocolLevel();
    int idBytes = ByteBufUtil.utf8Bytes(request.clientId());
    if (!request.assignedClientId() && idBytes > settings.maxClientIdBytes()) {
      throw new ProtocolViolation(
          CloseReason.CLIENT_IDENTIFIER_NOT_VALID,
          "client identifier too long: " + idBytes + " bytes, limit " + settings.maxClientIdBytes(),
          version,
          Limit.CLIENT_ID_BYTES);
    }
    Will will = request.will();
    if (will == null) {
      return;
    }
    String topic = will.message().topic().name();
    new TopicLimits(settings).check(topic, CloseReason.TOPIC_NAME_INVALID, version);
    if (will.message().topic().isSysTopic()) {
      throw new ProtocolViolation(
          CloseReason.NOT_AUTHORIZED, "will topics under $SYS are reserved", version);
    }
    int payloadBytes = will.message().payload().length;
    if (settings.maxPayloadBytes() > 0 && payloadBytes > settings.maxPayloadBytes()) {
      throw new ProtocolViolation(
          CloseReason.QUOTA_EXCEEDED,
          "will payload too large: " + payloadBytes + " bytes, limit " + settings.maxPayloadBytes(),
          version,
          Limit.PAYLOAD_BYTES);
    }
  }

  /** The client's Maximum Packet Size; 0 if the client sent 0, which is a protocol error. */
  public static int maxPacketBytes(MqttConnectMessage connect) {
    PropertyView properties = new PropertyView(connect.variableHeader().properties());
    long bytes =
        properties.number(MqttProperties.MAXIMUM_PACKET_SIZE, SessionSettings.MAX_PACKET_BYTES);
    return (int) Math.min(bytes, SessionSettings.MAX_PACKET_BYTES);
  }

  /**
   * Returns the violation for a packet that arrived before the CONNACK and could not be decoded by
   * Netty.
   *
   * @param protocolLevel the protocol level of the client; 0 if it is not known
   */
  public static ProtocolViolation undecodable(MqttMessage message, int protocolLevel) {
    Throwable cause = message.decoderResult().cause();
    CloseReason reason =
        cause instanceof MqttIdentifierRejectedException
            ? CloseReason.CLIENT_IDENTIFIER_NOT_VALID
            : CloseReason.MALFORMED_PACKET;
    return new ProtocolViolation(reason, String.valueOf(cause.getMessage()), protocolLevel);
  }

  /** Requires an authentication method if there is authentication data (MQTT 5.0 §3.1.2.11.10). */
  private static void requireMethodWithData(PropertyView properties, int version) {
    if (properties.has(MqttProperties.AUTHENTICATION_DATA)
        && !properties.has(MqttProperties.AUTHENTICATION_METHOD)) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "authentication data without an authentication method",
          version);
    }
  }

  private static String generateClientId(MqttConnectVariableHeader header) {
    boolean allowed = header.version() >= 5 || (header.version() == 4 && header.isCleanSession());
    if (!allowed) {
      // In MQTT 3.1.1, the server may assign the identifier only for a clean session (§3.1.3.1); in
      // MQTT 3.1, never.
      throw new ProtocolViolation(
          CloseReason.CLIENT_IDENTIFIER_NOT_VALID,
          "client identifier must not be empty",
          header.version());
    }
    return "fjord-" + UUID.randomUUID();
  }

  private int grantedKeepAlive(int requested, boolean mqtt5) {
    if (requested == 0) {
      return settings.defaultKeepAliveSeconds();
    }
    int max = settings.maxKeepAliveSeconds();
    // Only MQTT 5 has Server Keep Alive, so only MQTT 5 clients can be granted less than they
    // requested.
    return mqtt5 && max > 0 ? Math.min(requested, max) : requested;
  }

  private Will readWill(
      MqttConnectVariableHeader header, MqttConnectPayload payload, String clientId) {
    PropertyView properties = new PropertyView(payload.willProperties());
    byte[] bytes = payload.willMessageInBytes();
    Message message =
        new Message(
            willTopic(
                longWillTopic == null ? payload.willTopic() : longWillTopic, header.version()),
            bytes == null ? NO_PAYLOAD : bytes,
            Qos.of(header.willQos()),
            header.isWillRetain(),
            header.version() >= 5 ? properties.messageProperties() : MessageProperties.NONE,
            clientId,
            0,
            Message.NEVER);
    return new Will(
        message,
        properties.number(MqttProperties.WILL_DELAY_INTERVAL, 0),
        properties.number(MqttProperties.PUBLICATION_EXPIRY_INTERVAL, Will.NO_EXPIRY));
  }

  private static Topic willTopic(@Nullable String name, int version) {
    try {
      return new Topic(Objects.requireNonNullElse(name, ""));
    } catch (IllegalArgumentException e) {
      throw new ProtocolViolation(
          CloseReason.TOPIC_NAME_INVALID, "will: " + e.getMessage(), version);
    }
  }
}
