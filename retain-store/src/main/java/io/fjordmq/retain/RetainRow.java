package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.NewerFormException;

/**
 * A stored row. The expiry stands in front, so that it is known without decoding the message.
 *
 * <pre>
 * u8      version, 1
 * varint  expiresAtMillis, Long.MAX_VALUE if never
 * rest    message, as MessageCodec writes it
 * </pre>
 *
 * @param message encoded
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
record RetainRow(long expiresAtMillis, byte[] message) {
  private static final int VERSION = 1;

  byte[] encode() {
    return new ByteWriter(12 + message.length)
        .writeByte(VERSION)
        .writeVarint(expiresAtMillis)
        .writeBytes(message)
        .toByteArray();
  }

  static long expiryOf(byte[] row) {
    return expiry(new ByteReader(row));
  }

  static RetainRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    long expiresAtMillis = expiry(in);
    return new RetainRow(expiresAtMillis, in.readBytes(in.remaining()));
  }

  private static long expiry(ByteReader in) {
    NewerFormException.require("retained message", VERSION, in.readByte());
    return in.readVarint();
  }
}
