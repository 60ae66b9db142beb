package io.fjordmq.common;

import java.nio.ByteBuffer;
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
   * @param expectedBytes initial capacity; the exact size avoids all copying
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
    reserve(varintBytes(value));
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

  /** Writes the remaining bytes of the buffer without a length prefix; keeps its position. */
  public ByteWriter writeBytes(ByteBuffer value) {
    int count = value.remaining();
    reserve(count);
    value.get(value.position(), bytes, length, count);
    length += count;
    return this;
  }

  /** Writes a block: a varint with the length, then the bytes. */
  public ByteWriter writeBlock(byte[] value) {
    writeVarint(value.length);
    return writeBytes(value);
  }

  /** Writes the remaining bytes of the buffer as a block; its position stays unchanged. */
  public ByteWriter writeBlock(ByteBuffer value) {
    writeVarint(value.remaining());
    return writeBytes(value);
  }

  /** Writes a block that holds UTF-8. */
  public ByteWriter writeString(String value) {
    return writeBlock(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the number of bytes that {@link #writeVarint} writes. */
  public static int varintBytes(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Returns the number of bytes that {@link #writeBlock} writes for this many bytes. */
  public static int blockBytes(int count) {
    return varintBytes(count) + count;
  }

  /** Returns the number of bytes that {@link #writeString} writes. */
  public static int stringBytes(String value) {
    int count = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < 0x80) {
        count++;
      } else if (c < 0x800) {
        count += 2;
      } else if (!Character.isSurrogate(c)) {
        count += 3;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < value.length()
          && Character.isLowSurrogate(value.charAt(i + 1))) {
        count += 4;
        i++;
      } else {
        count++; // an unpaired surrogate is encoded as a question mark
      }
    }
    return blockBytes(count);
  }

  /** Returns the number of bytes written so far. */
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
