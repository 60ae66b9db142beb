package io.fjordmq.broker.events;

import io.fjordmq.common.ByteWriter;

/**
 * Something that happened to a client. Immutable. Texts that are too long are shortened. A reason
 * is a label in lower case with underscores; a reason code is that of MQTT 5, or negative if there
 * is none.
 */
public sealed interface ClientEvent
    permits Connected,
        Refused,
        Subscribed,
        SubscribeRefused,
        Unsubscribed,
        PublishDenied,
        Dropped,
        Throttled,
        ThrottleEnded,
        Disconnected,
        TakenOver,
        SessionExpired,
        WillPublished,
        Banned {

  /** The name of the kind of event in the API, such as {@code connected}. */
  String type();

  /**
   * Returns one line for operators that explains the event.
   *
   * @param count how often it happened; at least 1
   */
  String message(long count);

  /** How often it happened. */
  default long count() {
    return 1;
  }

  /**
   * Whether this event is a repetition of an earlier one, so that both are recorded as one event
   * with a count.
   */
  boolean repeats(ClientEvent earlier);

  /** How many repetitions in a row are recorded separately before they are combined. */
  default int separateRepetitions() {
    return 0;
  }

  /** Returns this event, as the latest of several that have been combined. */
  default ClientEvent combinedWith(ClientEvent earlier) {
    return this;
  }

  /**
   * Whether events after this one are never combined with events before it, because that would hide
   * their order.
   */
  default boolean isBoundary() {
    return false;
  }

  /** The number of characters in the strings of this event, which determines its use of memory. */
  int chars();

  /** The number of this kind of event in messages between nodes. */
  int kind();

  /** Writes the fields, for other nodes. */
  void write(ByteWriter out);
}
