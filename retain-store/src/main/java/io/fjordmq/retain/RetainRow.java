package io.fjordmq.retain;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/**
 * A stored row: the retained message of a topic, or a clear marker. A clear marker records for a
 * limited time that the message was cleared or has expired, so that a delayed message is not
 * retained again. The fields that every scan needs precede the message.
 *
 * <pre>
 * u8      version, 2
 * varint  expiresAtMillis, Long.MAX_VALUE if never
 * ..      publisher (not in version 1)
 * rest    message, as MessageCodec writes it; empty for a clear marker
 * </pre>
 *
 * @param expiresAtMillis when the message or clear marker expires
 * @param message the encoded message; empty for a clear marker
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record RetainRow(long expiresAtMillis, RetainPublisher retainPublisher, byte[] message) {
  private static final int VERSION = 2;
  private static final byte[] NOTHING = {};

  /**
   * The fields before the message.
   *
   * @param isClearMarker true for a clear marker
   */
  public record Head(
      long expiresAtMillis, RetainPublisher retainPublisher, boolean isClearMarker) {}

  /** Creates a clear marker with the publisher of the message that it replaces or of the clear. */
  static RetainRow clearMarker(long untilMillis, RetainPublisher retainPublisher) {
    return new RetainRow(untilMillis, retainPublisher, NOTHING);
  }

  byte[] encode() {
    ByteWriter out =
        new ByteWriter(12 + RetainPublisher.MAX_BYTES + message.length)
            .writeByte(VERSION)
            .writeVarint(expiresAtMillis);
    retainPublisher.write(out);
    return out.writeBytes(message).toByteArray();
  }

  public static Head headOf(byte[] row) {
    return head(new ByteReader(row));
  }

  public static RetainRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    Head head = head(in);
    return new RetainRow(head.expiresAtMillis, head.retainPublisher, in.readBytes(in.remaining()));
  }

  private static Head head(ByteReader in) {
    int version = in.readByte();
    if (version != 1) {
      NewerFormatException.require("retained message", VERSION, version);
    }
    long expiresAtMillis = in.readVarint();
    RetainPublisher retainPublisher =
        version == 1 ? RetainPublisher.NONE : RetainPublisher.read(in);
    return new Head(expiresAtMillis, retainPublisher, in.remaining() == 0);
  }
}
