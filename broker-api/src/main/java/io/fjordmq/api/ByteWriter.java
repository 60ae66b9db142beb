package io.fjordmq.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes stored or replicated data. Fixed-width numbers are big-endian. A varint holds seven bits
 * per byte, least significant group first; the high bit is set on all bytes but the last. Not
 * thread-safe.
 */
public final class ByteWriter {
  private byte[] bytes;
  private int length;

  /**
   * Creates a writer whose buffer grows on demand.
   *
   * @param expectedBytes initial capacity; a good estimate avoids copying
   */
  public ByteWriter(int expectedBytes) {
    bytes = new byte[Math.max(expectedBytes, 16)];
  }

  public ByteWriter writeByte(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
    return this;
  }

  public ByteWriter writeShort(int value) {
    reserve(2);
    bytes[length++] = (byte) (value >>> 8);
    bytes[length++] = (byte) value;
    return this;
  }

  public ByteWriter writeLong(long value) {
    reserve(8);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[length++] = (byte) (value >>> shift);
    }
    return this;
  }

  /** Writes 1 to 10 bytes; a negative value takes 10. */
  public ByteWriter writeVarint(long value) {
    reserve(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    return this;
  }

  /** Writes the bytes without a length prefix. */
  public ByteWriter writeBytes(byte[] value) {
    reserve(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
    return this;
  }

  /** Writes a block: a varint with the length, then the bytes. */
  public ByteWriter writeBlock(byte[] value) {
    writeVarint(value.length);
    return writeBytes(value);
  }

  /** Writes a block that holds UTF-8. */
  public ByteWriter writeString(String value) {
    return writeBlock(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Number of bytes written so far. */
  public int length() {
    return length;
  }

  /** Returns the bytes written. The writer must not be used afterwards. */
  public byte[] toByteArray() {
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
    }
  }
}
