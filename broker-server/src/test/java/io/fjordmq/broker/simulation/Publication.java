package io.fjordmq.broker.simulation;

import org.jspecify.annotations.Nullable;

/** A message that a model client wanted to publish, and what became of that on its side. */
final class Publication {
  private final String publisher;
  private final int number;
  private final String topic;
  private final int qos;
  private final boolean retain;
  private int sends;
  private long firstSent = Ledger.NEVER;
  private long acknowledged = Ledger.NEVER;
  private @Nullable Integer refusedWith;

  Publication(String publisher, int number, String topic, int qos, boolean retain) {
    this.publisher = publisher;
    this.number = number;
    this.topic = topic;
    this.qos = qos;
    this.retain = retain;
  }

  String publisher() {
    return publisher;
  }

  /** Rises with each of the publisher's messages. */
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

  /** Unique. */
  String payload() {
    return publisher + ":" + number;
  }

  /** How often its PUBLISH was written. */
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
