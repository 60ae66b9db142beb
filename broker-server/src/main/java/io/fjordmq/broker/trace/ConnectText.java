package io.fjordmq.broker.trace;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectPayload;
import io.netty.handler.codec.mqtt.MqttConnectVariableHeader;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Formats a CONNECT. Its password, authentication data and the values of its user properties are
 * never shown, because clients use them for credentials.
 */
final class ConnectText {
  /** Short enough to cut the signature off a token that is used as the user name. */
  static final int MAX_USER_NAME_CHARS = 128;

  private ConnectText() {}

  /**
   * @return a text that begins with a space
   */
  static String of(MqttConnectMessage connect, PayloadEncoding encoding, int maxPayloadBytes) {
    StringBuilder text = new StringBuilder();
    TraceText out = new TraceText(text).word("CONNECT");
    MqttConnectVariableHeader header = connect.variableHeader();
    MqttConnectPayload payload = connect.payload();
    out.field("version", header.version())
        .field("clean_start", header.isCleanSession() ? 1 : 0)
        .field("keep_alive", header.keepAliveTimeSeconds());
    if (payload.userName() != null) {
      out.field("user_name", payload.userName(), MAX_USER_NAME_CHARS);
    }
    if (header.hasPassword()) {
      out.word("password=(hidden)");
    }
    properties(out, header.properties(), encoding, maxPayloadBytes);
    if (header.isWillFlag()) {
      out.field("will_topic", String.valueOf(payload.willTopic()))
          .field("will_qos", header.willQos())
          .field("will_retain", header.isWillRetain() ? 1 : 0);
      properties(out, payload.willProperties(), encoding, maxPayloadBytes);
      byte[] will = payload.willMessageInBytes();
      byte[] message = will == null ? new byte[0] : will;
      out.payload(message, message.length, encoding, maxPayloadBytes);
    }
    return text.toString();
  }

  private static void properties(
      TraceText out,
      @Nullable MqttProperties properties,
      PayloadEncoding encoding,
      int maxPayloadBytes) {
    if (properties == null) {
      return;
    }
    for (MqttProperty<?> property : properties.listAll()) {
      PropertyName known = PropertyName.of(property.propertyId());
      if (known != null) {
        value(out, known, property.value(), encoding, maxPayloadBytes);
      }
    }
  }

  private static void value(
      TraceText out,
      PropertyName name,
      @Nullable Object value,
      PayloadEncoding encoding,
      int maxPayloadBytes) {
    if (value instanceof Integer number) {
      out.field(name.label(), Integer.toUnsignedLong(number));
    } else if (value instanceof String text) {
      out.field(name.label(), text);
    } else if (value instanceof byte[] bytes) {
      boolean isSecret = name.encoding() == PropertyName.Encoding.SECRET;
      PropertyName.bytes(
          out,
          name.label(),
          Arrays.copyOf(bytes, Math.min(bytes.length, maxPayloadBytes)),
          bytes.length,
          isSecret ? PayloadEncoding.HIDDEN : encoding);
    } else if (value instanceof List<?> pairs) {
      for (Object pair : pairs) {
        if (pair instanceof MqttProperties.StringPair text) {
          PropertyName.pair(out, text.key, text.value, PayloadEncoding.HIDDEN);
        }
      }
    }
  }
}
