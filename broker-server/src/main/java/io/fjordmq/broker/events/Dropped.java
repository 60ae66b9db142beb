package io.fjordmq.broker.events;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages to or from the client were dropped. Drops for the same reason are combined.
 *
 * @param count the number of messages
 * @param fromClient whether the client published the messages
 * @param topic the topic of the last message; null if unknown
 * @param severalTopics whether other messages had other topics
 * @param limitKey the configuration key of the limit that was reached; empty if there is none
 * @param limitValue the value of the limit; negative if unknown
 */
public record Dropped(
    long count,
    boolean fromClient,
    @Nullable String topic,
    boolean severalTopics,
    String reason,
    String limitKey,
    long limitValue)
    implements ClientEvent {
  /*
   *   1 from client | topic | 1 several topics | s reason | s limit key | v limit value + 1
   */
  static final int KIND = 7;

  public Dropped {
    topic = topic == null ? null : EventText.shortened(topic);
  }

  /** Messages to the client were dropped, not because of a limit. */
  public static Dropped toClient(String reason, long count, @Nullable String topic) {
    return toClient(reason, count, topic, "", -1);
  }

  /** Messages to the client were dropped because of a limit. */
  public static Dropped toClient(
      String reason, long count, @Nullable String topic, String limitKey, long limitValue) {
    return new Dropped(count, false, topic, false, reason, limitKey, limitValue);
  }

  /** A message from the client was dropped or refused. */
  public static Dropped fromClient(String reason, String topic, String limitKey, long limitValue) {
    return new Dropped(1, true, topic, false, reason, limitKey, limitValue);
  }

  @Override
  public String type() {
    return fromClient ? "publish_dropped" : "dropped";
  }

  @Override
  public String message(long total) {
    String on =
        topic == null
            ? ""
            : total > 1 && severalTopics ? ", last on topic " + topic : " on topic " + topic;
    return "Dropped "
        + (total == 1 ? "a message" : total + " messages")
        + (fromClient ? " from the client" : "")
        + on
        + ": "
        + DropExplanation.of(reason)
        + EventText.limit(limitKey, limitValue);
  }

  @Override
  public boolean repeats(ClientEvent earlier) {
    return earlier instanceof Dropped other
        && fromClient == other.fromClient
        && reason.equals(other.reason)
        && limitKey.equals(other.limitKey);
  }

  @Override
  public ClientEvent combinedWith(ClientEvent earlier) {
    Dropped other = (Dropped) earlier;
    String last = topic == null ? other.topic : topic;
    boolean several =
        other.severalTopics
            || (topic != null && other.topic != null && !Objects.equals(topic, other.topic));
    return several == severalTopics && Objects.equals(last, topic)
        ? this
        : new Dropped(count, fromClient, last, several, reason, limitKey, limitValue);
  }

  @Override
  public int chars() {
    return topic == null ? 0 : topic.length();
  }

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeByte(fromClient ? 1 : 0);
    EventCodec.writeOptional(out, topic);
    out.writeByte(severalTopics ? 1 : 0)
        .writeString(reason)
        .writeString(limitKey)
        .writeVarint(limitValue + 1);
  }

  static Dropped read(ByteReader in, long count) {
    return new Dropped(
        count,
        in.readByte() != 0,
        EventCodec.readOptional(in),
        in.readByte() != 0,
        in.readString(),
        in.readString(),
        in.readVarint() - 1);
  }
}
