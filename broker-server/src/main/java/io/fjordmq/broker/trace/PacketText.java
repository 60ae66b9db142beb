package io.fjordmq.broker.trace;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttMessageType;
import java.nio.charset.StandardCharsets;

/**
 * Formats one MQTT packet of any type and version from its bytes. The bytes are not consumed. Bytes
 * that are not a valid packet are reported as such; nothing is thrown. Used once.
 */
final class PacketText {
  private static final int MQTT_5 = 5;
  private static final int MAX_CODES = 20;

  private final ByteBuf in;
  private final int protocolLevel;
  private final PayloadEncoding encoding;
  private final int maxPayloadBytes;
  private final int packetEnd;
  private final int end;
  private int position;

  private PacketText(
      ByteBuf in, int start, int protocolLevel, PayloadEncoding encoding, int maxPayloadBytes) {
    this.in = in;
    this.position = start;
    this.protocolLevel = protocolLevel;
    this.encoding = encoding;
    this.maxPayloadBytes = maxPayloadBytes;
    this.packetEnd = start + packetBytes(in, start);
    this.end = Math.min(packetEnd, in.writerIndex());
  }

  /**
   * Returns the size of the packet at an index, including the fixed header. The buffer may contain
   * only its beginning. Returns the rest of the buffer if the fixed header is invalid.
   */
  static int packetBytes(ByteBuf in, int start) {
    int remaining = 0;
    for (int i = 1; i <= 4 && start + i < in.writerIndex(); i++) {
      int digit = in.getUnsignedByte(start + i);
      remaining |= (digit & 0x7F) << 7 * (i - 1);
      if (digit < 0x80) {
        return 1 + i + remaining;
      }
    }
    return in.writerIndex() - start;
  }

  /**
   * Formats the packet at an index of the buffer. If the buffer contains only the beginning of a
   * PUBLISH, a part of its payload is missing in the text.
   *
   * @return a text that begins with a space
   */
  static String of(
      ByteBuf in, int start, int protocolLevel, PayloadEncoding encoding, int maxPayloadBytes) {
    StringBuilder text = new StringBuilder();
    TraceText out = new TraceText(text);
    try {
      new PacketText(in, start, protocolLevel, encoding, maxPayloadBytes).write(out);
    } catch (IndexOutOfBoundsException e) {
      out.word("(malformed packet)");
    }
    return text.toString();
  }

  private void write(TraceText out) {
    int first = readByte();
    while (readByte() >= 0x80) {
      // skips the remaining length
    }
    int type = first >> 4;
    out.word(type == 0 ? "RESERVED" : MqttMessageType.valueOf(type).name());
    switch (type) {
      case 2 -> connAck(out);
      case 3 -> publish(out, first);
      case 4, 5, 6, 7 -> reply(out);
      case 9, 11 -> filterReply(out, type == 11);
      case 14, 15 -> codeAndProperties(out);
      default -> {
        // no fields, or read elsewhere
      }
    }
  }

  private void connAck(TraceText out) {
    out.field("session_present", readByte() & 1);
    codeAndProperties(out);
  }

  private void publish(TraceText out, int first) {
    int qos = first >> 1 & 3;
    String topic = readText();
    if (qos > 0) {
      out.field("packet_id", readShort());
    }
    out.field("qos", qos).field("retain", first & 1).field("dup", first >> 3 & 1);
    out.field("topic", topic);
    if (protocolLevel == MQTT_5) {
      properties(out);
    }
    int bytes = Math.max(0, packetEnd - position);
    byte[] payload = new byte[Math.max(0, Math.min(Math.min(bytes, maxPayloadBytes), left()))];
    in.getBytes(position, payload);
    out.payload(payload, bytes, encoding, maxPayloadBytes);
  }

  private void reply(TraceText out) {
    out.field("packet_id", readShort());
    codeAndProperties(out);
  }

  private void codeAndProperties(TraceText out) {
    if (left() > 0) {
      out.code("reason_code", readByte());
    }
    if (left() > 0 && protocolLevel == MQTT_5) {
      properties(out);
    }
  }

  /** SUBACK and UNSUBACK. */
  private void filterReply(TraceText out, boolean isUnsubscribe) {
    out.field("packet_id", readShort());
    if (protocolLevel == MQTT_5) {
      properties(out);
    }
    for (int i = 0; left() > 0; i++) {
      if (i == MAX_CODES) {
        out.field("more_codes", left());
        return;
      }
      out.code(isUnsubscribe ? "reason_code" : "granted", readByte());
    }
  }

  private void properties(TraceText out) {
    int bytes = readVarint();
    int propertiesEnd = position + bytes;
    while (position < propertiesEnd) {
      property(out, readVarint());
    }
  }

  private void property(TraceText out, int id) {
    PropertyName property = PropertyName.of(id);
    if (property == null) {
      throw new IndexOutOfBoundsException("unknown property " + id);
    }
    String name = property.label();
    switch (property.encoding()) {
      case BYTE -> out.field(name, readByte());
      case TWO_BYTES -> out.field(name, readShort());
      case FOUR_BYTES -> out.field(name, ((long) readShort() << 16) | readShort());
      case VARINT -> out.field(name, readVarint());
      case TEXT -> out.field(name, readText());
      case SECRET -> out.field(name + "_bytes", skipBlock());
      case BYTES -> {
        int bytes = readShort();
        byte[] value = new byte[Math.min(bytes, maxPayloadBytes)];
        in.getBytes(position, value);
        skip(bytes);
        PropertyName.bytes(out, name, value, bytes, encoding);
      }
      case PAIR -> PropertyName.pair(out, readText(), readText(), encoding);
    }
  }

  private int left() {
    return end - position;
  }

  private int readByte() {
    if (position >= end) {
      throw new IndexOutOfBoundsException("the packet ends prematurely");
    }
    return in.getUnsignedByte(position++);
  }

  private int readShort() {
    return readByte() << 8 | readByte();
  }

  private int readVarint() {
    int value = 0;
    for (int shift = 0; shift <= 21; shift += 7) {
      int digit = readByte();
      value |= (digit & 0x7F) << shift;
      if (digit < 0x80) {
        return value;
      }
    }
    throw new IndexOutOfBoundsException("a variable byte integer has more than four bytes");
  }

  private int skipBlock() {
    int bytes = readShort();
    skip(bytes);
    return bytes;
  }

  private void skip(int bytes) {
    if (bytes > left()) {
      throw new IndexOutOfBoundsException("the packet ends prematurely");
    }
    position += bytes;
  }

  private String readText() {
    int bytes = readShort();
    int start = position;
    skip(bytes);
    return in.toString(start, bytes, StandardCharsets.UTF_8);
  }
}
