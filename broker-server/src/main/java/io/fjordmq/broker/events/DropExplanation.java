package io.fjordmq.broker.events;

import java.util.Map;

/** Explains the reasons of dropped messages, which are also metric labels. */
final class DropExplanation {
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("queue_full", "the queue of the session is full"),
          Map.entry("slow_client", "the client reads too slowly and its queue is full"),
          Map.entry("expired", "the message expiry interval had passed"),
          Map.entry(
              "exceeds_client_limit",
              "the message is larger than the client's Maximum Packet Size"),
          Map.entry(
              "connection_ended", "the message was still queued when the transient session ended"),
          Map.entry("refused_by_client", "the client acknowledged with an error code"),
          Map.entry("payload_too_large", "the payload is too large"),
          Map.entry("overloaded", "the node was overloaded"),
          Map.entry("reserved_topic", "clients are not allowed to publish to $SYS topics"),
          Map.entry("not_authorized", "the client is not allowed to read the topic"),
          Map.entry(
              "retained_unavailable",
              "retained messages of a subscription could not be read or were not sent in time"),
          Map.entry(
              "larger_than_inbox",
              "the message is larger than the queue of the persistent session"),
          Map.entry("inbox_full", "the queue of the persistent session is full"),
          Map.entry("session_ended", "the message was not delivered before the session ended"),
          Map.entry("qos0_offline", "QoS 0 messages are not queued while the client is offline"),
          Map.entry("quota_exceeded", "a quota was exceeded or the queue of a subscriber is full"),
          Map.entry("low_disk_space", "disk space was low"),
          Map.entry("node_congested", "the queue to another node was full"));

  private DropExplanation() {}

  /** Returns the explanation; the reason itself if it is unknown. */
  static String of(String reason) {
    return TEXTS.getOrDefault(reason, EventText.words(reason));
  }
}
