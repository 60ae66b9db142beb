package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The client is no longer throttled. Repetitions are combined.
 *
 * @param outbound as in {@link Throttled}
 * @param limitKey as in {@link Throttled}
 */
public record ThrottleEnded(boolean outbound, String limitKey) implements ClientEvent {
  /*
   *   1 outbound | s limit key
   */
  static final int KIND = 9;

  @Override
  public String type() {
    return "throttle_ended";
  }

  @Override
  public String message(long count) {
    String what = outbound ? "messages to the client resumed" : "reading from the client resumed";
    return EventText.times("Throttling ended", count)
        + ": "
        + what
        + (limitKey.isEmpty() ? " after overload" : " (" + limitKey + ")");
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
    out.writeByte(outbound ? 1 : 0).writeString(limitKey);
  }

  static ThrottleEnded read(ByteReader in) {
    return new ThrottleEnded(in.readByte() != 0, in.readString());
  }
}
