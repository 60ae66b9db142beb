package io.fjordmq.broker.protocol;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.UserProperty;
import io.fjordmq.broker.dispatch.Delivery;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.util.List;

/**
 * Encodes PUBLISH packets to clients. This class replaces Netty's encoder so that a message to many
 * clients is encoded only once (MQTT 5.0 §3.3):
 *
 * <pre>
 *   0x30 | DUP QoS RETAIN         DUP differs between receivers: filled in
 *   remaining length
 *   topic
 *   packet identifier             if QoS &gt; 0; filled in
 *   property length               MQTT 5
 *     0x02 message expiry         first, if it expires; filled in with the remaining time
 *     0x23 topic alias, others
 *   -- end of the template --
 *   payload
 * </pre>
 */
public final class PublishEncoder {
  private static final int PUBLISH = 0x30;
  private static final int DUP = 0x08;
  private static final int QOS_BITS = 0x06;

  private PublishEncoder() {}

  /**
   * Returns the template of a delivery, which is encoded once for all sessions with this protocol
   * version.
   */
  static byte[] template(Delivery delivery, boolean mqtt5) {
    byte[] cached = delivery.encodedHead(mqtt5);
    if (cached == null) {
      cached = template(delivery, mqtt5, delivery.message().topic().name(), 0);
      delivery.cacheEncodedHead(mqtt5, cached);
    }
    return cached;
  }

  /**
   * Encodes everything before the payload.
   *
   * @param topic the topic name, or empty if the alias replaces it
   * @param alias the topic alias to send; 0 for none
   */
  static byte[] template(Delivery delivery, boolean mqtt5, String topic, int alias) {
    Message message = delivery.message();
    int topicBytes = ByteBufUtil.utf8Bytes(topic);
    int properties = mqtt5 ? propertyBytes(delivery, alias) : 0;
    int afterTopic =
        (delivery.qos() == Qos.AT_MOST_ONCE ? 0 : 2)
            + (mqtt5 ? PacketFramer.integerBytes(properties) + properties : 0);
    int remaining = 2 + topicBytes + afterTopic + message.payload().length;
    int size = 1 + PacketFramer.integerBytes(remaining) + 2 + topicBytes + afterTopic;
    byte[] bytes = new byte[size];
    ByteBuf out = Unpooled.wrappedBuffer(bytes).clear();
    out.writeByte(PUBLISH | delivery.qos().level() << 1 | (delivery.retain() ? 1 : 0));
    writeInteger(out, remaining);
    writeText(out, topic, topicBytes);
    if (delivery.qos() != Qos.AT_MOST_ONCE) {
      out.writeShort(0);
    }
    if (mqtt5) {
      writeInteger(out, properties);
      writeProperties(out, delivery, alias);
    }
    return bytes;
  }

  /** Fills in the receiver-specific fields in a copy of a template that begins at {@code start}. */
  public static void fillIn(
      ByteBuf packet, int start, int packetIdentifier, boolean dup, long expirySeconds) {
    byte first = packet.getByte(start);
    int at = start + 1;
    while (packet.getByte(at++) < 0) {
      // skip the remaining length, which ends with the byte whose high bit is clear
    }
    at += 2 + packet.getUnsignedShort(at);
    if ((first & QOS_BITS) != 0) {
      packet.setShort(at, packetIdentifier);
      at += 2;
      if (dup) {
        packet.setByte(start, first | DUP);
      }
    }
    if (expirySeconds >= 0) {
      while (packet.getByte(at++) < 0) {
        // skip the property length
      }
      packet.setInt(at + 1, (int) expirySeconds);
    }
  }

  private static int propertyBytes(Delivery delivery, int alias) {
    int bytes = delivery.message().expiresAtMillis() == Message.NEVER ? 0 : 5;
    bytes += alias == 0 ? 0 : 3;
    List<Integer> identifiers = delivery.subscriptionIdentifiers();
    for (int i = 0; i < identifiers.size(); i++) {
      bytes += 1 + PacketFramer.integerBytes(identifiers.get(i));
    }
    MessageProperties properties = delivery.message().properties();
    if (properties.isEmpty()) {
      return bytes;
    }
    bytes += properties.payloadIsUtf8() == null ? 0 : 2;
    String contentType = properties.contentType();
    bytes += contentType == null ? 0 : 3 + ByteBufUtil.utf8Bytes(contentType);
    String responseTopic = properties.responseTopic();
    bytes += responseTopic == null ? 0 : 3 + ByteBufUtil.utf8Bytes(responseTopic);
    byte[] correlation = properties.correlationData();
    bytes += correlation == null ? 0 : 3 + correlation.length;
    for (UserProperty user : properties.userProperties()) {
      bytes += 5 + ByteBufUtil.utf8Bytes(user.name()) + ByteBufUtil.utf8Bytes(user.value());
    }
    return bytes;
  }

  private static void writeProperties(ByteBuf out, Delivery delivery, int alias) {
    if (delivery.message().expiresAtMillis() != Message.NEVER) {
      out.writeByte(MqttProperties.PUBLICATION_EXPIRY_INTERVAL).writeInt(0);
    }
    if (alias != 0) {
      out.writeByte(MqttProperties.TOPIC_ALIAS).writeShort(alias);
    }
    List<Integer> identifiers = delivery.subscriptionIdentifiers();
    for (int i = 0; i < identifiers.size(); i++) {
      out.writeByte(MqttProperties.SUBSCRIPTION_IDENTIFIER);
      writeInteger(out, identifiers.get(i));
    }
    MessageProperties properties = delivery.message().properties();
    if (!properties.isEmpty()) {
      writeMessageProperties(out, properties);
    }
  }

  private static void writeMessageProperties(ByteBuf out, MessageProperties properties) {
    Boolean payloadIsUtf8 = properties.payloadIsUtf8();
    if (payloadIsUtf8 != null) {
      out.writeByte(MqttProperties.PAYLOAD_FORMAT_INDICATOR).writeByte(payloadIsUtf8 ? 1 : 0);
    }
    String contentType = properties.contentType();
    if (contentType != null) {
      out.writeByte(MqttProperties.CONTENT_TYPE);
      writeText(out, contentType, ByteBufUtil.utf8Bytes(contentType));
    }
    String responseTopic = properties.responseTopic();
    if (responseTopic != null) {
      out.writeByte(MqttProperties.RESPONSE_TOPIC);
      writeText(out, responseTopic, ByteBufUtil.utf8Bytes(responseTopic));
    }
    byte[] correlation = properties.correlationData();
    if (correlation != null) {
      out.writeByte(MqttProperties.CORRELATION_DATA).writeShort(correlation.length);
      out.writeBytes(correlation);
    }
    for (UserProperty user : properties.userProperties()) {
      out.writeByte(MqttProperties.USER_PROPERTY);
      writeText(out, user.name(), ByteBufUtil.utf8Bytes(user.name()));
      writeText(out, user.value(), ByteBufUtil.utf8Bytes(user.value()));
    }
  }

  private static void writeText(ByteBuf out, String text, int bytes) {
    out.writeShort(bytes);
    ByteBufUtil.reserveAndWriteUtf8(out, text, bytes);
  }

  /** Writes a variable byte integer. */
  static void writeInteger(ByteBuf out, int value) {
    int remaining = value;
    while (remaining >= 0x80) {
      out.writeByte(remaining & 0x7F | 0x80);
      remaining >>>= 7;
    }
    out.writeByte(remaining);
  }
}
