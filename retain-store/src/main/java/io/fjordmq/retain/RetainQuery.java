package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.NewerFormException;

/**
 * Asks one range for a page of what a filter matches.
 *
 * <pre>
 * u8 version, 1; block from; string tenant; string pattern; varint nowMillis; varint maxMessages; varint maxBytes
 * </pre>
 *
 * @param from key to begin with; in the range
 * @param pattern topic filter without share
 * @param nowMillis messages that expired by then are left out
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
record RetainQuery(
    byte[] from, String tenant, String pattern, long nowMillis, int maxMessages, int maxBytes) {
  private static final int VERSION = 1;

  byte[] encode() {
    return new ByteWriter(64 + from.length)
        .writeByte(VERSION)
        .writeBlock(from)
        .writeString(tenant)
        .writeString(pattern)
        .writeVarint(nowMillis)
        .writeVarint(maxMessages)
        .writeVarint(maxBytes)
        .toByteArray();
  }

  static RetainQuery decode(ByteReader in) {
    NewerFormException.require("retain query", VERSION, in.readByte());
    return new RetainQuery(
        in.readBlock(),
        in.readString(),
        in.readString(),
        in.readVarint(),
        in.readInt(),
        in.readInt());
  }
}
