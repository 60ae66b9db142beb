package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * A subscription was refused.
 *
 * @param filter the topic filter
 * @param limitKey the configuration key of the limit that was reached; empty if there is none
 * @param limitValue the value of the limit; negative if unknown
 */
public record SubscribeRefused(
    String filter, String reason, int reasonCode, Denial denial, String limitKey, long limitValue)
    implements ClientEvent {
  /*
   *   s filter | s reason | v reason code + 1 | .. denial | s limit key | v limit value + 1
   */
  static final int KIND = 4;

  public SubscribeRefused {
    filter = EventText.shortened(filter);
  }

  @Override
  public String type() {
    return "subscribe_refused";
  }

  @Override
  public String message(long count) {
    String what = EventText.times("Refused SUBSCRIBE to " + filter, count);
    String limit =
        limitKey.isEmpty() ? "" : "limit reached" + EventText.limit(limitKey, limitValue);
    String why = EventText.joined(limit, "; ", denial.text("the client"));
    return EventText.joined(what + ": " + EventText.reason(reason, reasonCode), "; ", why);
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return equals(earlier);
  }

  @Override
  public int chars() {
    return filter.length() + denial.chars();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(filter).writeString(reason).writeVarint(reasonCode + 1L);
    denial.write(out);
    out.writeString(limitKey).writeVarint(limitValue + 1);
  }

  static SubscribeRefused read(ByteReader in) {
    return new SubscribeRefused(
        in.readString(),
        in.readString(),
        in.readInt() - 1,
        Denial.read(in),
        in.readString(),
        in.readVarint() - 1);
  }
}
