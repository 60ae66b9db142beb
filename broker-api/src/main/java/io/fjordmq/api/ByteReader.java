package io.fjordmq.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads what a {@link ByteWriter} wrote. Every method fails with {@link MalformedBytesException} if
 * the bytes end too early or cannot be what is asked for. Keeps no reference to the bytes it has
 * read: arrays and strings are copies. Not thread-safe.
 */
public final class ByteReader {
  private final ByteBuffer bytes;

  /** Reads from the buffer's position to its limit and moves the position along. */
  public ByteReader(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  public ByteReader(byte[] bytes) {
    this(ByteBuffer.wrap(bytes));
  }

  /** 0 to 255. */
  public int readByte() {
    require(1);
    return bytes.get() & 0xFF;
  }

  /** 0 to 65,535. */
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

  /** A varint that must be 0 to 2,147,483,647. */
  public int readInt() {
    long value = readVarint();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new MalformedBytesException("number out of range: " + Long.toUnsignedString(value));
    }
    return (int) value;
  }

  /**
   * A varint that counts items which follow.
   *
   * @param leastBytes bytes an item takes at least, so that a wrong count cannot ask for memory
   *     that the input does not back; &gt; 0
   */
  public int readCount(int leastBytes) {
    int count = readInt();
    if (count > bytes.remaining() / leastBytes) {
      throw new MalformedBytesException(
          count + " items announced, but only " + bytes.remaining() + " bytes follow");
    }
    return count;
  }

  /** That many bytes. */
  public byte[] readBytes(int count) {
    require(count);
    byte[] value = new byte[count];
    bytes.get(value);
    return value;
  }

  /** A varint that counts them, then the bytes. */
  public byte[] readBlock() {
    return readBytes(readCount(1));
  }

  /** A block of UTF-8. */
  public String readString() {
    int count = readCount(1);
    if (!bytes.hasArray()) {
      return new String(readBytes(count), StandardCharsets.UTF_8);
    }
    int at = bytes.arrayOffset() + bytes.position();
    bytes.position(bytes.position() + count);
    return new String(bytes.array(), at, count, StandardCharsets.UTF_8);
  }

  /** Bytes not read yet. */
  public int remaining() {
    return bytes.remaining();
  }

  /** Fails if there is something left. */
  public void requireEnd() {
    if (bytes.hasRemaining()) {
      throw new MalformedBytesException(bytes.remaining() + " bytes too many");
    }
  }

  private void require(int count) {
    if (bytes.remaining() < count) {
      throw new MalformedBytesException(
          count + " bytes expected, but only " + bytes.remaining() + " follow");
    }
  }
}
