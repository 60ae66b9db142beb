package io.fjordmq.broker.simulation;

import org.jspecify.annotations.Nullable;

/** A message that a model client wanted to publish, and its state at that client. */
final class Publication {
  private final String publisher;
  private final int number;
  private final String topic;
  private final int qos;
  private final boolean retain;
  private final boolean will;
  private final boolean receivesOutcome;
  private int sends;
  private long firstSent = Ledger.NEVER;
  private long acknowledged = Ledger.NEVER;
  private @Nullable Integer refusedWith;
  private boolean abandoned;
  private boolean rejected;
  private int connection;

  /**
   * @param toldOutcome whether its publisher speaks MQTT 5: it is told what became of it
   */
  Publication(
      String publisher, int number, String topic, int qos, boolean retain, boolean toldOutcome) {
    this(publisher, number, topic, qos, retain, toldOutcome, false);
  }

  private Publication(
      String publisher,
      int number,
      String topic,
      int qos,
      boolean retain,
      boolean toldOutcome,
      boolean will) {
    this.publisher = publisher;
    this.number = number;
    this.topic = topic;
    this.qos = qos;
    this.retain = retain;
    this.receivesOutcome = toldOutcome;
    this.will = will;
  }

  /** The message that the broker publishes for a connection of this name. */
  static Publication will(String connection, String topic, int qos) {
    return new Publication(connection, 1, topic, qos, false, false, true);
  }

  String publisher() {
    return publisher;
  }

  /** Increases with each of the publisher's messages. */
  int number() {
    return number;
  }

  String topic() {
    return topic;
  }

  int qos() {
    return qos;
  }

  boolean retain() {
    return retain;
  }

  /**
   * The broker publishes it, and says it again to those who are connected if it crashes meanwhile.
   */
  boolean isWill() {
    return will;
  }

  /** The publisher started a new session without it: if it still arrives, it has no order. */
  void abandon() {
    abandoned = true;
  }

  /** A node accepted no copy of it. */
  void reject() {
    rejected = true;
  }

  /**
   * Whether a later message may have been taken before it: its publisher was told that it was
   * turned away, or was about to be, and if it did not read that, repeats it.
   */
  boolean mayBeLate() {
    return abandoned || (rejected && receivesOutcome);
  }

  /** Unique. */
  String payload() {
    return publisher + ":" + number;
  }

  /** Number of times its PUBLISH was sent. */
  int sends() {
    return sends;
  }

  long firstSent() {
    return firstSent;
  }

  /** When the PUBACK or PUBREC without error came. */
  long acknowledged() {
    return acknowledged;
  }

  /** The number of the publisher's connection on which it was last sent. */
  int connection() {
    return connection;
  }

  void sent(long now, int onConnection) {
    connection = onConnection;
    sent(now);
  }

  void sent(long now) {
    sends++;
    firstSent = Math.min(firstSent, now);
  }

  void answered(int reasonCode, long now) {
    if (reasonCode >= 0x80) {
      refusedWith = reasonCode;
    } else {
      acknowledged = Math.min(acknowledged, now);
    }
  }

  @Override
  public String toString() {
    return payload()
        + " to "
        + topic
        + " q"
        + qos
        + (retain ? " retained" : "")
        + (sends > 1 ? " sent " + sends + " times" : "")
        + (refusedWith == null ? "" : " refused with " + refusedWith);
  }
}
