package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads a packet at absolute positions without moving the buffer's reader index. Reading past the
 * end of the packet is reported as a malformed packet.
 */
final class PacketCursor {
  private final ByteBuf in;
  private final int end;
  private int position;
  private int level;

  PacketCursor(ByteBuf in, int size, int level) {
    this(in, in.readerIndex(), in.readerIndex() + size, level);
  }

  /** Creates a cursor over a part of a packet. */
  PacketCursor(ByteBuf in, int begin, int end, int level) {
    this.in = in;
    this.position = begin;
    this.end = end;
    this.level = level;
  }

  int level() {
    return level;
  }

  void setLevel(int known) {
    level = known;
  }

  int position() {
    return position;
  }

  int remaining() {
    return end - position;
  }

  void skip(int bytes) {
    if (bytes > remaining()) {
      throw RawPacketRules.malformed("packet ends prematurely", level);
    }
    position += bytes;
  }

  int readByte() {
    skip(1);
    return in.getUnsignedByte(position - 1);
  }

  int readShort() {
    skip(2);
    return in.getUnsignedShort(position - 2);
  }

  String readAscii(int bytes) {
    skip(bytes);
    return in.toString(position - bytes, bytes, StandardCharsets.US_ASCII);
  }

  /** Reads a variable byte integer (MQTT 5.0 §1.5.5). */
  int readInteger() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = readByte();
      value |= (digit & 0x7F) << 7 * i;
      if (digit < 0x80) {
        requireShortest(i, digit);
        return value;
      }
    }
    throw RawPacketRules.malformed("variable byte integer has more than four bytes", level);
  }

  /**
   * Requires the shortest encoding of an integer (MQTT-1.5.5-1). Older versions do not require it.
   */
  private void requireShortest(int index, int lastDigit) {
    if (level >= 5 && index > 0 && lastDigit == 0) {
      throw RawPacketRules.malformed("variable byte integer is not encoded minimally", level);
    }
  }

  /** Skips text or binary data: a two-byte length followed by that many bytes. */
  void skipLengthPrefixed() {
    skip(readShort());
  }

  /** Checks and skips text with a two-byte length (MQTT 5.0 §1.5.4), without decoding it. */
  void skipText() {
    int bytes = readShort();
    skip(bytes);
    int begin = position - bytes;
    if (in.indexOf(begin, position, (byte) 0) >= 0
        || !ByteBufUtil.isText(in, begin, bytes, StandardCharsets.UTF_8)) {
      throw invalidText();
    }
  }

  private ProtocolViolation invalidText() {
    return RawPacketRules.malformed("text is not valid UTF-8 or contains U+0000", level);
  }

  void skipFixedHeader() {
    skip(1);
    readInteger();
  }

  /**
   * Reads text (MQTT 5.0 §1.5.4) of the given number of bytes.
   *
   * @throws ProtocolViolation if it is malformed or contains U+0000
   */
  String readText(int bytes) {
    skip(bytes);
    ByteBuffer buffer = in.nioBuffer(position - bytes, bytes);
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(buffer).toString();
      if (text.indexOf('\0') < 0) {
        return text;
      }
    } catch (CharacterCodingException e) {
      // Reported below.
    }
    throw invalidText();
  }
}
