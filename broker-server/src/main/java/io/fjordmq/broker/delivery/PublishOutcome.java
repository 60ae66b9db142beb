package io.fjordmq.broker.delivery;

/** What the broker made of a PUBLISH; decides the PUBACK / PUBREC. From best to worst. */
public enum PublishOutcome {
  /**
   * Durable wherever a persistent session or the retain store wanted it, and handed to the live
   * sessions.
   */
  ACCEPTED,
  /** The same, but nobody was interested (MQTT 5: 0x10). */
  NO_MATCHING_SUBSCRIBERS,
  /**
   * A limit stands against it (MQTT 5: 0x97): retained messages, or an inbox that refuses when
   * full.
   */
  QUOTA_EXCEEDED,
  /**
   * It would have to be stored and the disk has no room for it: nothing was stored, nobody got it
   * (MQTT 5: 0x97; from MQTT 3 it must not be acknowledged, so the connection is closed).
   */
  NO_ROOM,
  /**
   * The stream to a node with live receivers is full: nothing was stored, nobody got it (MQTT 5:
   * 0x97; MQTT 3 as for {@link #NO_ROOM}).
   */
  NODE_CONGESTED,
  /**
   * This node's lease has run out, or it is not admitted yet, so it may not know all receivers:
   * nothing was stored, nobody got it (MQTT 5: 0x83; MQTT 3 as for {@link #NO_ROOM}).
   */
  NOT_SERVING,
  /**
   * It may not be durable everywhere: the publisher must not be told that it is. The connection is
   * closed.
   */
  NOT_DURABLE;

  /** True if the publish was turned away as a whole: it may be repeated as if it were new. */
  public boolean isRefusal() {
    return this == NO_ROOM || this == NODE_CONGESTED || this == NOT_SERVING;
  }
}
