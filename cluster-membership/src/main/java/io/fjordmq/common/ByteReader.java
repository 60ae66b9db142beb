package io.fjordmq.common;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Decodes data written by a {@link ByteWriter}. Every method throws {@link MalformedBytesException}
 * if too few bytes remain or if they do not encode the requested value. Returned arrays and strings
 * are copies and never reference the input, except those of {@link #readView}. Not thread-safe.
 */
public final class ByteReader {
  private final ByteBuffer bytes;

  /** Reads from the buffer's position to its limit and advances the position. */
  public ByteReader(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  public ByteReader(byte[] bytes) {
    this(ByteBuffer.wrap(bytes));
  }

  /** Reads one byte, as a number from 0 to 255. */
  public int readByte() {
    require(1);
    return bytes.get() & 0xFF;
  }

  /** Reads two bytes, as a number from 0 to 65,535. */
  public int readShort() {
    return readByte() << 8 | readByte();
  }

  public long readLong() {
    require(8);
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value = value << 8 | (bytes.get() & 0xFF);
    }
    return value;
  }

  public long readVarint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = readByte();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        if (shift == 63 && next > 1) {
          break;
        }
        return value;
      }
    }
    throw new MalformedBytesException("varint is longer than 64 bits");
  }

  /** Reads a varint that must be between 0 and 2,147,483,647. */
  public int readInt() {
    long value = readVarint();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new MalformedBytesException(
          "number must be between 0 and 2147483647, not " + Long.toUnsignedString(value));
    }
    return (int) value;
  }

  /**
   * Reads a varint that holds the number of items that follow.
   *
   * @param minBytes minimum encoded size of an item, at least 1; bounds the memory that a corrupt
   *     count can make the caller allocate
   */
  public int readCount(int minBytes) {
    int count = readInt();
    if (count > bytes.remaining() / minBytes) {
      throw new MalformedBytesException(
          "count of " + count + " items exceeds the " + bytes.remaining() + " remaining bytes");
    }
    return count;
  }

  /** Reads {@code count} bytes. */
  public byte[] readBytes(int count) {
    require(count);
    byte[] value = new byte[count];
    bytes.get(value);
    return value;
  }

  /** Reads a block: a varint with the length, then that many bytes. */
  public byte[] readBlock() {
    return readBytes(readCount(1));
  }

  /** Reads a block without copying it. Returns a view that is valid as long as the input. */
  public ByteBuffer readView() {
    int count = readCount(1);
    ByteBuffer view = bytes.slice(bytes.position(), count);
    bytes.position(bytes.position() + count);
    return view;
  }

  /** Reads a block that holds UTF-8. */
  public String readString() {
    int count = readCount(1);
    if (!bytes.hasArray()) {
      return new String(readBytes(count), StandardCharsets.UTF_8);
    }
    int at = bytes.arrayOffset() + bytes.position();
    bytes.position(bytes.position() + count);
    return new String(bytes.array(), at, count, StandardCharsets.UTF_8);
  }

  /** Returns the number of bytes that have not been read yet. */
  public int remaining() {
    return bytes.remaining();
  }

  /** Throws {@link MalformedBytesException} if unread bytes remain. */
  public void requireEnd() {
    if (bytes.hasRemaining()) {
      throw new MalformedBytesException(
          "expected end of input, found " + bytes.remaining() + " more bytes");
    }
  }

  private void require(int count) {
    if (bytes.remaining() < count) {
      throw new MalformedBytesException(
          "expected " + count + " bytes, found only " + bytes.remaining());
    }
  }
}
