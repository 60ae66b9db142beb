package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * A subscription was granted.
 *
 * @param filter the topic filter
 * @param qos the granted QoS
 */
public record Subscribed(String filter, int qos) implements ClientEvent {
  /*
   *   s filter | 1 qos
   */
  static final int KIND = 3;

  private static final int SEPARATE = 10;

  public Subscribed {
    filter = EventText.shortened(filter);
  }

  @Override
  public String type() {
    return "subscribed";
  }

  @Override
  public String message(long count) {
    return count == 1
        ? "Subscribed to " + filter + " with QoS " + qos
        : "Subscribed to " + count + " filters with QoS " + qos + ", last " + filter;
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return earlier instanceof Subscribed other && qos == other.qos;
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
    out.writeString(filter).writeByte(qos);
  }

  static Subscribed read(ByteReader in) {
    return new Subscribed(in.readString(), in.readByte());
  }
}
