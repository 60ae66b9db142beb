package io.fjordmq.broker.protocol;

import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Topic;
import io.fjordmq.api.UserProperty;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the properties of one MQTT 5 packet. The raw packet has already been checked for disallowed
 * and repeated properties.
 */
record PropertyView(MqttProperties properties) {

  /**
   * Returns the property as an unsigned number, or {@code absent} if the packet does not contain
   * it.
   */
  long number(int id, long absent) {
    MqttProperty<?> property = properties.getProperty(id);
    // Netty reads four-byte integers as signed.
    return property == null ? absent : Integer.toUnsignedLong((Integer) property.value());
  }

  @Nullable String text(int id) {
    MqttProperty<?> property = properties.getProperty(id);
    return property == null ? null : (String) property.value();
  }

  byte @Nullable [] bytes(int id) {
    MqttProperty<?> property = properties.getProperty(id);
    return property == null ? null : (byte[]) property.value();
  }

  boolean has(int id) {
    return properties.getProperty(id) != null;
  }

  List<UserProperty> userProperties() {
    List<? extends MqttProperty> found = properties.getProperties(MqttProperties.USER_PROPERTY);
    if (found.isEmpty()) {
      return List.of();
    }
    List<UserProperty> result = new ArrayList<>(found.size());
    for (MqttProperty<?> property : found) {
      MqttProperties.StringPair pair = (MqttProperties.StringPair) property.value();
      result.add(new UserProperty(pair.key, pair.value));
    }
    return result;
  }

  // NullAway does not know that correlationData, an array in another module's record, is nullable.
  @SuppressWarnings("NullAway")
  private MessageProperties read(@Nullable Boolean payloadIsUtf8, @Nullable String responseTopic) {
    return new MessageProperties(
        payloadIsUtf8,
        text(MqttProperties.CONTENT_TYPE),
        responseTopic,
        bytes(MqttProperties.CORRELATION_DATA),
        userProperties());
  }

  /**
   * Returns the properties that are delivered together with a message.
   *
   * @throws ProtocolViolation if the response topic is not a valid topic name (MQTT 5.0 §3.3.2.3.5)
   */
  MessageProperties messageProperties() {
    if (properties.isEmpty()) {
      return MessageProperties.NONE;
    }
    String responseTopic = text(MqttProperties.RESPONSE_TOPIC);
    if (responseTopic != null) {
      requireTopic(responseTopic);
    }
    Boolean payloadIsUtf8 =
        has(MqttProperties.PAYLOAD_FORMAT_INDICATOR)
            ? number(MqttProperties.PAYLOAD_FORMAT_INDICATOR, 0) == 1
            : null;
    MessageProperties read = read(payloadIsUtf8, responseTopic);
    return read.isEmpty() ? MessageProperties.NONE : read;
  }

  private static void requireTopic(String responseTopic) {
    try {
      new Topic(responseTopic);
    } catch (IllegalArgumentException e) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR, "invalid response topic: " + e.getMessage());
    }
  }
}
