package io.fjordmq.range;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Appends big-endian fields to a growing array. The opposite of {@link ByteReader}. */
public final class ByteWriter {
  private ByteBuffer buffer;

  public ByteWriter(int expectedBytes) {
    buffer = ByteBuffer.allocate(Math.max(expectedBytes, 16));
  }

  private ByteBuffer room(int bytes) {
    if (buffer.remaining() < bytes) {
      int capacity = Math.max(buffer.capacity() * 2, buffer.position() + bytes);
      buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), capacity)).position(buffer.position());
    }
    return buffer;
  }

  public void u8(int value) {
    room(1).put((byte) value);
  }

  public void u32(int value) {
    room(4).putInt(value);
  }

  public void u64(long value) {
    room(8).putLong(value);
  }

  /** A u32 length, then the bytes. */
  public void bytes(byte[] value) {
    room(4 + value.length).putInt(value.length).put(value);
  }

  /** UTF-8 as {@link #bytes}. */
  public void text(String value) {
    bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  public int size() {
    return buffer.position();
  }

  public byte[] toByteArray() {
    byte[] all = buffer.array();
    return all.length == buffer.position() ? all : Arrays.copyOf(all, buffer.position());
  }
}
