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
record RetainPublisher(long publisher, RetainVersion retainVersion) {
  static final RetainPublisher NOBODY = new RetainPublisher(0, RetainVersion.NONE);

  /** Longest encoded form. */
  static final int MAX_BYTES = 26;

  /**
   * @param publisher client identifier; empty for the broker itself, whose messages have no turn
   */
  static RetainPublisher of(String publisher, RetainVersion retainVersion) {
    return publisher.isEmpty() || retainVersion.equals(RetainVersion.NONE)
        ? NOBODY
        : new RetainPublisher(hash(publisher), retainVersion);
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
  boolean isAfter(RetainPublisher other) {
    return !isNobody()
        && publisher == other.publisher
        && retainVersion.compareTo(other.retainVersion) > 0;
  }

  void write(ByteWriter out) {
    out.writeLong(publisher)
        .writeVarint(retainVersion.epochVersion())
        .writeVarint(retainVersion.index());
  }

  static RetainPublisher read(ByteReader in) {
    return new RetainPublisher(in.readLong(), new RetainVersion(in.readVarint(), in.readVarint()));
  }
}
