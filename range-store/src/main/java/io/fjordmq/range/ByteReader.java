package io.fjordmq.range;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Takes big-endian fields from bytes; every read is checked against what is left.
 *
 * <p>All methods throw {@link CorruptDataException} when the bytes end too early.
 */
public final class ByteReader {
  private final ByteBuffer buffer;

  public ByteReader(byte[] bytes) {
    this(ByteBuffer.wrap(bytes));
  }

  /** Reads from the buffer's position to its limit; moves neither. */
  public ByteReader(ByteBuffer bytes) {
    buffer = bytes.slice();
  }

  private ByteBuffer need(int bytes) {
    if (bytes < 0 || buffer.remaining() < bytes) {
      throw new CorruptDataException(
          "needs " + bytes + " bytes at " + buffer.position() + ", has " + buffer.remaining());
    }
    return buffer;
  }

  public int u8() {
    return need(1).get() & 0xff;
  }

  public int u32() {
    return need(4).getInt();
  }

  public long u64() {
    return need(8).getLong();
  }

  public byte[] bytes() {
    byte[] value = new byte[length()];
    buffer.get(value);
    return value;
  }

  /** Like {@link #bytes} without a copy: read-only, as long-lived as the source. */
  public ByteBuffer slice() {
    int length = length();
    ByteBuffer slice = buffer.slice(buffer.position(), length).asReadOnlyBuffer();
    buffer.position(buffer.position() + length);
    return slice;
  }

  private int length() {
    int length = u32();
    need(length);
    return length;
  }

  public String text() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  /** A u32 count of items that take at least so many bytes each. */
  public int count(int leastBytesEach) {
    int count = u32();
    if (count < 0 || (long) count * leastBytesEach > buffer.remaining()) {
      throw new CorruptDataException(
          count + " items cannot be in the " + buffer.remaining() + " bytes left");
    }
    return count;
  }

  /** Reads the format byte and refuses any other than the one known. */
  public void format(String what, int known) {
    int format = u8();
    if (format != known) {
      throw new CorruptDataException(
          what + " has format " + format + ", this version reads " + known);
    }
  }

  public boolean hasMore() {
    return buffer.hasRemaining();
  }

  public void expectEnd(String what) {
    if (buffer.hasRemaining()) {
      throw new CorruptDataException(buffer.remaining() + " bytes too many in " + what);
    }
  }
}
