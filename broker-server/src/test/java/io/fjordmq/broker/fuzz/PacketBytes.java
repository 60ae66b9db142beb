package io.fjordmq.broker.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes packets that may be invalid in every way except their length. */
final class PacketBytes {
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();

  PacketBytes one(int value) {
    body.write(value);
    return this;
  }

  PacketBytes two(int value) {
    return one(value >> 8).one(value);
  }

  PacketBytes four(int value) {
    return two(value >> 16).two(value);
  }

  PacketBytes text(String text) {
    return counted(text.getBytes(StandardCharsets.UTF_8));
  }

  PacketBytes counted(byte[] bytes) {
    return two(bytes.length).bytes(bytes);
  }

  PacketBytes bytes(byte[] bytes) {
    body.writeBytes(bytes);
    return this;
  }

  /** Properties with their length before them. */
  PacketBytes properties(PacketBytes properties) {
    return length(properties.body.size()).bytes(properties.body.toByteArray());
  }

  private PacketBytes length(int value) {
    int rest = value;
    while (rest >= 0x80) {
      one(rest & 0x7F | 0x80);
      rest >>>= 7;
    }
    return one(rest);
  }

  /** The whole packet with this first byte. */
  byte[] packet(int first) {
    return new PacketBytes()
        .one(first)
        .length(body.size())
        .bytes(body.toByteArray())
        .body
        .toByteArray();
  }
}
