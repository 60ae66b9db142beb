package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The will of the client was published.
 *
 * @param topic the topic of the will
 * @param complete whether it reached all subscribers; otherwise a limit was reached
 */
public record WillPublished(String topic, boolean complete) implements ClientEvent {
  /*
   *   s topic | 1 complete
   */
  static final int KIND = 13;

  public WillPublished {
    topic = EventText.shortened(topic);
  }

  @Override
  public String type() {
    return "will_published";
  }

  @Override
  public String message(long count) {
    return "Published the will of the client to "
        + topic
        + (complete ? "" : "; some subscribers did not receive it because a limit was reached");
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return false;
  }

  @Override
  public boolean isBoundary() {
    return true;
  }

  @Override
  public int chars() {
    return topic.length();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(topic).writeByte(complete ? 1 : 0);
  }

  static WillPublished read(ByteReader in) {
    return new WillPublished(in.readString(), in.readByte() != 0);
  }
}
