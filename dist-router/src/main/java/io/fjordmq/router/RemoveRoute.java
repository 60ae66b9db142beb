package io.fjordmq.router;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * Removes a route if it exists. The response is a {@link RouteChanged}.
 *
 * @param key as {@link RouteKeys} encodes it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record RemoveRoute(byte[] key) implements RouteCommand {
  /*
   *   b  key
   */
  static final int KIND = 2;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public int expectedBytes() {
    return 8 + key.length;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeBlock(key);
  }

  static RemoveRoute read(ByteReader in) {
    return new RemoveRoute(in.readBlock());
  }

  @Override
  public byte[] apply(RouteRows rows) {
    rows.remove(key);
    return rows.response().encode();
  }
}
