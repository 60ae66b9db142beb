package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;

/**
 * An AUTH packet (MQTT 5.0 §3.15).
 *
 * @param data the Authentication Data; empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
public record AuthPacket(int reasonCode, String method, byte[] data) {
  public static final int SUCCESS = 0x00;
  public static final int CONTINUE = 0x18;
  public static final int REAUTHENTICATE = 0x19;
  public static final byte[] NO_DATA = {};

  /**
   * Reads an AUTH packet from a client.
   *
   * @param method the authentication method of the client's CONNECT, which must not change
   * @throws ProtocolViolation if a client must not send this packet
   */
  public static AuthPacket read(MqttMessage message, String method) {
    var header = (MqttReasonCodeAndPropertiesVariableHeader) message.variableHeader();
    int code = header.reasonCode() & 0xFF;
    if (code != CONTINUE && code != REAUTHENTICATE) {
      throw protocolError("unexpected AUTH reason code " + code); // MQTT-3.15.2-1
    }
    PropertyView properties = new PropertyView(header.properties());
    String named = properties.text(MqttProperties.AUTHENTICATION_METHOD);
    if (named == null) {
      throw protocolError("AUTH has no authentication method"); // §3.15.2.2.2
    }
    if (!named.equals(method)) {
      // MQTT-4.12.0-5, MQTT-4.12.1-1
      throw protocolError("AUTH has a different authentication method than CONNECT");
    }
    byte[] data = properties.bytes(MqttProperties.AUTHENTICATION_DATA);
    return new AuthPacket(code, named, data == null ? NO_DATA : data);
  }

  public static ProtocolViolation protocolError(String detail) {
    return new ProtocolViolation(CloseReason.PROTOCOL_ERROR, detail);
  }

  /** The size of the whole packet in bytes. */
  public int sizeBytes() {
    int properties = propertyBytes(method, data);
    return PacketFramer.packetBytes(1 + PacketFramer.integerBytes(properties) + properties);
  }

  /** The size of the two properties in bytes. */
  static int propertyBytes(String method, byte[] data) {
    return 3 + ByteBufUtil.utf8Bytes(method) + (data.length == 0 ? 0 : 3 + data.length);
  }

  public MqttMessage toMessage() {
    MqttProperties properties = new MqttProperties();
    addTo(properties, method, data);
    return new MqttMessage(
        new MqttFixedHeader(MqttMessageType.AUTH, false, MqttQoS.AT_MOST_ONCE, false, 0),
        new MqttReasonCodeAndPropertiesVariableHeader((byte) reasonCode, properties));
  }

  static void addTo(MqttProperties properties, String method, byte[] data) {
    properties.add(new StringProperty(MqttProperties.AUTHENTICATION_METHOD, method));
    if (data.length > 0) {
      properties.add(new BinaryProperty(MqttProperties.AUTHENTICATION_DATA, data));
    }
  }
}
