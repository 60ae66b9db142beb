package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.nio.charset.StandardCharsets;

/**
 * Whose retained message it is.
 *
 * <pre>
 * u64     publisher, 0 if nobody's
 * varint  epoch version of the turn
 * varint  index of the turn
 * </pre>
 *
 * @param publisher a hash of the client identifier; with 64 bits two publishers of one topic differ
 */
record Writer(long publisher, Turn turn) {
  static final Writer NOBODY = new Writer(0, Turn.NONE);

  /** Longest encoded form. */
  static final int MAX_BYTES = 26;

  /**
   * @param publisher client identifier; empty for the broker itself, whose messages have no turn
   */
  static Writer of(String publisher, Turn turn) {
    return publisher.isEmpty() || turn.equals(Turn.NONE)
        ? NOBODY
        : new Writer(hash(publisher), turn);
  }

  /** FNV-1a. Part of the stored form: never changes. */
  private static long hash(String publisher) {
    long hash = 0xCBF29CE484222325L;
    for (byte b : publisher.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001B3L;
    }
    return hash == 0 ? 1 : hash;
  }

  boolean isNobody() {
    return publisher == 0;
  }

  /** Whether the same publisher wrote this on a later turn. */
  boolean isAfter(Writer other) {
    return !isNobody() && publisher == other.publisher && turn.compareTo(other.turn) > 0;
  }

  void write(ByteWriter out) {
    out.writeLong(publisher).writeVarint(turn.epochVersion()).writeVarint(turn.index());
  }

  static Writer read(ByteReader in) {
    return new Writer(in.readLong(), new Turn(in.readVarint(), in.readVarint()));
  }
}
