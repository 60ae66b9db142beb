package io.fjordmq.range;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The keys {@code start <= key < end} in unsigned byte order.
 *
 * @param start inclusive; empty for no lower bound
 * @param end exclusive; null for no upper bound
 */
@SuppressWarnings("ArrayRecordComponent") // equals, hashCode and toString are implemented below
public record KeyInterval(byte[] start, byte @Nullable [] end) {
  /** All keys. */
  public static final KeyInterval ALL = new KeyInterval(new byte[0], null);

  /**
   * @throws IllegalArgumentException if the interval would be empty
   */
  public KeyInterval {
    if (end != null && Arrays.compareUnsigned(start, end) >= 0) {
      HexFormat hex = HexFormat.of();
      throw new IllegalArgumentException(
          "key interval is empty: start=" + hex.formatHex(start) + " end=" + hex.formatHex(end));
    }
  }

  /** Returns all keys from {@code start}, without an upper bound. */
  public static KeyInterval from(byte[] start) {
    return new KeyInterval(start, null);
  }

  /** Returns the interval with the same end that begins at {@code start}. */
  public KeyInterval startingAt(byte[] start) {
    return new KeyInterval(start, end);
  }

  public boolean contains(byte[] key) {
    return Arrays.compareUnsigned(start, key) <= 0
        && (end == null || Arrays.compareUnsigned(key, end) < 0);
  }

  /** Appends {@code block start | u8 1 if there is an end | block end}. */
  public void write(ByteWriter out) {
    out.writeBlock(start).writeByte(end == null ? 0 : 1);
    if (end != null) {
      out.writeBlock(end);
    }
  }

  /** Reads an interval written by {@link #write}. */
  public static KeyInterval read(ByteReader in) {
    byte[] start = in.readBlock();
    byte[] end = in.readByte() == 0 ? null : in.readBlock();
    return new KeyInterval(start, end);
  }

  public boolean overlaps(KeyInterval other) {
    return (end == null || Arrays.compareUnsigned(other.start, end) < 0)
        && (other.end == null || Arrays.compareUnsigned(start, other.end) < 0);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeyInterval that
        && Arrays.equals(start, that.start)
        && Arrays.equals(end, that.end);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(start) + Arrays.hashCode(end);
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return "[" + hex.formatHex(start) + ", " + (end == null ? "∞" : hex.formatHex(end)) + ")";
  }
}
