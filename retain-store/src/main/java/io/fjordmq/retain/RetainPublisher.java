package io.fjordmq.retain;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.nio.charset.StandardCharsets;

/**
 * The publisher of a retained message, and the {@link RetainVersion} of its connection.
 *
 * <pre>
 * u64     publisher, 0 if none
 * varint  epochVersion of the retain version
 * varint  index of the retain version
 * </pre>
 *
 * @param publisher 64-bit hash of the client identifier, so that collisions between publishers of
 *     one topic are negligible
 */
public record RetainPublisher(long publisher, RetainVersion retainVersion) {
  static final RetainPublisher NONE = new RetainPublisher(0, RetainVersion.NONE);

  /** Maximum encoded size. */
  static final int MAX_BYTES = 26;

  /**
   * Identifies a publisher.
   *
   * @param publisher client identifier; empty for the broker itself, whose messages have no version
   */
  public static RetainPublisher of(String publisher, RetainVersion retainVersion) {
    return publisher.isEmpty() || retainVersion.equals(RetainVersion.NONE)
        ? NONE
        : new RetainPublisher(hash(publisher), retainVersion);
  }

  /**
   * Returns the FNV-1a hash of the client identifier. The hash is part of the storage format and
   * must never change.
   */
  private static long hash(String publisher) {
    long hash = 0xCBF29CE484222325L;
    for (byte b : publisher.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001B3L;
    }
    return hash == 0 ? 1 : hash;
  }

  boolean isAbsent() {
    return publisher == 0;
  }

  /** Returns true if both have the same publisher and this one has the later version. */
  boolean isAfter(RetainPublisher other) {
    return !isAbsent()
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
