package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The few MQTT 3.1.1 packets a load client sends, written straight into a buffer (MQTT 3.1.1 §2,
 * §3). Hand-made so that the load tool is never the bottleneck it measures.
 */
final class MqttWire {
  static final int CONNACK = 2;
  static final int PUBLISH = 3;
  static final int PUBACK = 4;
  static final int SUBACK = 9;

  private MqttWire() {}

  static void connect(ByteBuf out, String clientId, boolean cleanSession, int keepAliveSeconds) {
    connect(out, cleanSession ? 2 : 0, keepAliveSeconds, List.of(clientId));
  }

  /** Of a clean session, without keep alive, for a user. */
  static void login(ByteBuf out, String clientId, String userName, String password) {
    connect(out, 0xC2, 0, List.of(clientId, userName, password));
  }

  private static void connect(ByteBuf out, int flags, int keepAliveSeconds, List<String> payload) {
    List<byte[]> texts =
        payload.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    out.writeByte(0x10);
    remainingLength(out, 10 + texts.stream().mapToInt(text -> 2 + text.length).sum());
    out.writeShort(4).writeBytes(new byte[] {'M', 'Q', 'T', 'T'});
    out.writeByte(4).writeByte(flags).writeShort(keepAliveSeconds);
    texts.forEach(text -> out.writeShort(text.length).writeBytes(text));
  }

  static void subscribe(ByteBuf out, int packetIdentifier, String filter, int qos) {
    byte[] text = filter.getBytes(StandardCharsets.UTF_8);
    out.writeByte(0x82);
    remainingLength(out, 2 + 2 + text.length + 1);
    out.writeShort(packetIdentifier).writeShort(text.length).writeBytes(text).writeByte(qos);
  }

  /** The head of a PUBLISH; the caller appends {@code payloadBytes} of payload. */
  static void publish(ByteBuf out, byte[] topic, int qos, int packetIdentifier, int payloadBytes) {
    out.writeByte(0x30 | (qos << 1));
    remainingLength(out, 2 + topic.length + (qos > 0 ? 2 : 0) + payloadBytes);
    out.writeShort(topic.length).writeBytes(topic);
    if (qos > 0) {
      out.writeShort(packetIdentifier);
    }
  }

  static void puback(ByteBuf out, int packetIdentifier) {
    out.writeInt(0x40020000 | packetIdentifier);
  }

  static void disconnect(ByteBuf out) {
    out.writeShort(0xE000);
  }

  private static void remainingLength(ByteBuf out, int length) {
    int rest = length;
    do {
      int low = rest & 0x7F;
      rest >>>= 7;
      out.writeByte(rest > 0 ? low | 0x80 : low);
    } while (rest > 0);
  }
}
