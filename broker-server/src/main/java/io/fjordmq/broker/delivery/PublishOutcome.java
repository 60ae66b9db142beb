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
   * It may not be durable everywhere: the publisher must not be told that it is. The connection is
   * closed.
   */
  NOT_DURABLE
}
