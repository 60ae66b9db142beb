package io.fjordmq.retain;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;

/**
 * Requests one page of the retained messages in a range that match a filter.
 *
 * <pre>
 * u8 version, 1; block from; string tenant; string pattern; varint nowMillis;
 * varint maxMessages; varint maxBytes
 * </pre>
 *
 * @param from key where the page starts; must be in the range
 * @param pattern topic filter without its {@code $share} prefix
 * @param nowMillis messages that have expired at this time are omitted
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record RetainQuery(
    byte[] from, String tenant, String pattern, long nowMillis, int maxMessages, int maxBytes) {
  private static final int VERSION = 1;

  public byte[] encode() {
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

  static RetainQuery decode(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("retain query", VERSION, in.readByte());
    return new RetainQuery(
        in.readBlock(),
        in.readString(),
        in.readString(),
        in.readVarint(),
        in.readInt(),
        in.readInt());
  }

  byte[] execute(KvReader rows, RetainMemory memory) {
    return new RetainScan(this, memory.interval(), memory.topics()).run(rows).encode();
  }
}
