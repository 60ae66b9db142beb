package io.fjordmq.router;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * Adds a route or replaces its options. The response is a {@link RouteChanged}.
 *
 * @param key as {@link RouteKeys} encodes it
 * @param row as {@link RouteRow} encodes it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record AddRoute(byte[] key, byte[] row) implements RouteCommand {
  /*
   *   b  key
   *   .. row
   */
  static final int KIND = 1;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public int expectedBytes() {
    return 8 + key.length + row.length;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeBlock(key).writeBytes(row);
  }

  static AddRoute read(ByteReader in) {
    byte[] key = in.readBlock();
    return new AddRoute(key, in.readBytes(in.remaining()));
  }

  @Override
  public byte[] apply(RouteRows rows) {
    rows.put(key, row);
    return rows.response().encode();
  }
}
