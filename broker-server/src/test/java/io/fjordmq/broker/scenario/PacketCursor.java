package io.fjordmq.broker.scenario;

import java.util.Arrays;

/** Reads the fields of a packet in order. */
final class PacketCursor {
  private final byte[] bytes;
  private int at;

  PacketCursor(byte[] bytes) {
    this.bytes = bytes;
  }

  int remaining() {
    return bytes.length - at;
  }

  int one() {
    if (remaining() < 1) {
      throw new IllegalArgumentException("the packet ends early");
    }
    return bytes[at++] & 0xFF;
  }

  int two() {
    return one() << 8 | one();
  }

  long four() {
    return (long) two() << 16 | two();
  }

  int integer() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = one();
      value |= (digit & 0x7F) << 7 * i;
      if (digit < 0x80) {
        if (i > 0 && digit == 0) {
          throw new IllegalArgumentException("an integer in more bytes than it needs");
        }
        return value;
      }
    }
    throw new IllegalArgumentException("an integer of five bytes");
  }

  byte[] readBytes(int count) {
    if (count > remaining()) {
      throw new IllegalArgumentException("the packet ends early");
    }
    at += count;
    return Arrays.copyOfRange(bytes, at - count, at);
  }

  byte[] counted() {
    return readBytes(two());
  }
}
