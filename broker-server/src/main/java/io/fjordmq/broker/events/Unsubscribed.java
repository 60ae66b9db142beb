package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The client removed a subscription.
 *
 * @param filter the topic filter
 */
public record Unsubscribed(String filter) implements ClientEvent {
  /*
   *   s filter
   */
  static final int KIND = 5;

  private static final int SEPARATE = 10;

  public Unsubscribed {
    filter = EventText.shortened(filter);
  }

  @Override
  public String type() {
    return "unsubscribed";
  }

  @Override
  public String message(long count) {
    return count == 1
        ? "Unsubscribed from " + filter
        : "Unsubscribed from " + count + " filters, last " + filter;
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return earlier instanceof Unsubscribed;
  }

  @Override
  public int separateRepetitions() {
    return SEPARATE;
  }

  @Override
  public int chars() {
    return filter.length();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(filter);
  }

  static Unsubscribed read(ByteReader in) {
    return new Unsubscribed(in.readString());
  }
}
