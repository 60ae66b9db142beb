package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The client may not publish to a topic. Denials by the same rule are combined.
 *
 * @param topic the topic of the last message
 * @param severalTopics whether earlier messages had other topics
 */
public record PublishDenied(String topic, boolean severalTopics, Denial denial)
    implements ClientEvent {
  /*
   *   s topic | 1 several topics | .. denial
   */
  static final int KIND = 6;

  public PublishDenied {
    topic = EventText.shortened(topic);
  }

  public PublishDenied(String topic, Denial denial) {
    this(topic, false, denial);
  }

  @Override
  public String type() {
    return "publish_denied";
  }

  @Override
  public String message(long count) {
    String what =
        count == 1
            ? "Denied PUBLISH to " + topic
            : "Denied "
                + count
                + " PUBLISH packets"
                + (severalTopics ? ", last to " : " to ")
                + topic;
    return EventText.joined(what, ": ", denial.text("the client"));
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return earlier instanceof PublishDenied other && denial.equals(other.denial);
  }

  @Override
  public ClientEvent combinedWith(ClientEvent earlier) {
    PublishDenied other = (PublishDenied) earlier;
    return other.severalTopics || !topic.equals(other.topic)
        ? new PublishDenied(topic, true, denial)
        : this;
  }

  @Override
  public int chars() {
    return topic.length() + denial.chars();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(topic).writeByte(severalTopics ? 1 : 0);
    denial.write(out);
  }

  static PublishDenied read(ByteReader in) {
    return new PublishDenied(in.readString(), in.readByte() != 0, Denial.read(in));
  }
}
