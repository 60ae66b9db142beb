package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The client began to be throttled. Repetitions are combined.
 *
 * @param outbound whether messages to the client are delayed; otherwise nothing is read from the
 *     client
 * @param limitKey the configuration key of the limit that was reached; empty if the node is
 *     overloaded
 * @param limitValue the value of the limit; negative if unknown
 */
public record Throttled(boolean outbound, String limitKey, long limitValue) implements ClientEvent {
  /*
   *   1 outbound | s limit key | v limit value + 1
   */
  static final int KIND = 8;

  @Override
  public String type() {
    return "throttled";
  }

  @Override
  public String message(long count) {
    return EventText.times("Throttled", count)
        + ": "
        + (outbound ? "messages to the client delayed" : "reading from the client paused")
        + " because "
        + (limitKey.isEmpty()
            ? "the node was overloaded"
            : "a rate limit was reached" + EventText.limit(limitKey, limitValue));
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return equals(earlier);
  }

  @Override
  public int chars() {
    return 0;
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeByte(outbound ? 1 : 0).writeString(limitKey).writeVarint(limitValue + 1);
  }

  static Throttled read(ByteReader in) {
    return new Throttled(in.readByte() != 0, in.readString(), in.readVarint() - 1);
  }
}
