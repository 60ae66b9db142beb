package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.NewerFormException;

/**
 * A stored row: a topic's message, or for a while the memory that it was cleared or has expired, so
 * that a late message does not come back. What is needed of every row stands in front of the
 * message.
 *
 * <pre>
 * u8      version, 2
 * varint  expiresAtMillis, Long.MAX_VALUE if never
 * ..      writer (not in version 1)
 * rest    message, as MessageCodec writes it; nothing if there is none any more
 * </pre>
 *
 * @param expiresAtMillis when the message expires, or the memory
 * @param message encoded; empty if there is none any more
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
record RetainRow(long expiresAtMillis, RetainPublisher retainPublisher, byte[] message) {
  private static final int VERSION = 2;
  private static final byte[] NOTHING = {};

  /**
   * What a row says of its message.
   *
   * @param isMemory there is none any more
   */
  record Head(long expiresAtMillis, RetainPublisher retainPublisher, boolean isMemory) {}

  /** Remembers who cleared a topic. */
  static RetainRow memory(long untilMillis, RetainPublisher retainPublisher) {
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

  static Head headOf(byte[] row) {
    return head(new ByteReader(row));
  }

  static RetainRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    Head head = head(in);
    return new RetainRow(head.expiresAtMillis, head.retainPublisher, in.readBytes(in.remaining()));
  }

  private static Head head(ByteReader in) {
    int version = in.readByte();
    if (version != 1) {
      NewerFormException.require("retained message", VERSION, version);
    }
    long expiresAtMillis = in.readVarint();
    RetainPublisher retainPublisher =
        version == 1 ? RetainPublisher.NOBODY : RetainPublisher.read(in);
    return new Head(expiresAtMillis, retainPublisher, in.remaining() == 0);
  }
}
