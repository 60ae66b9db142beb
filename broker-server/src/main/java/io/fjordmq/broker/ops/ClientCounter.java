package io.fjordmq.broker.ops;

/**
 * The counters of a node that the API shows, with the names that EMQX gives them. Each is the sum
 * of a metric, or of its series with one label value.
 */
public enum ClientCounter {
  /** Bytes from clients. */
  BYTES_RECEIVED("bytes.received", ClientMetric.BYTES_RECEIVED),
  /** Bytes to clients. */
  BYTES_SENT("bytes.sent", ClientMetric.BYTES_SENT),
  /** Packets from clients. */
  PACKETS_RECEIVED("packets.received", ClientMetric.PACKETS_RECEIVED),
  /** Packets to clients. */
  PACKETS_SENT("packets.sent", ClientMetric.PACKETS_SENT),
  /** CONNECT packets. */
  CONNECT_RECEIVED("packets.connect.received", "connect"),
  /** PUBLISH packets. */
  PUBLISH_RECEIVED("packets.publish.received", "publish"),
  /** PUBACK packets. */
  PUBACK_RECEIVED("packets.puback.received", "puback"),
  /** PUBREC packets. */
  PUBREC_RECEIVED("packets.pubrec.received", "pubrec"),
  /** PUBREL packets. */
  PUBREL_RECEIVED("packets.pubrel.received", "pubrel"),
  /** PUBCOMP packets. */
  PUBCOMP_RECEIVED("packets.pubcomp.received", "pubcomp"),
  /** SUBSCRIBE packets. */
  SUBSCRIBE_RECEIVED("packets.subscribe.received", "subscribe"),
  /** UNSUBSCRIBE packets. */
  UNSUBSCRIBE_RECEIVED("packets.unsubscribe.received", "unsubscribe"),
  /** PINGREQ packets. */
  PINGREQ_RECEIVED("packets.pingreq.received", "pingreq"),
  /** DISCONNECT packets. */
  DISCONNECT_RECEIVED("packets.disconnect.received", "disconnect"),
  /** AUTH packets. */
  AUTH_RECEIVED("packets.auth.received", "auth"),
  /** Messages from clients. */
  MESSAGES_RECEIVED("messages.received", ClientMetric.MESSAGES_RECEIVED),
  /** QoS 0 messages from clients. */
  QOS0_RECEIVED("messages.qos0.received", ClientMetric.MESSAGES_RECEIVED, "qos", "0"),
  /** QoS 1 messages from clients. */
  QOS1_RECEIVED("messages.qos1.received", ClientMetric.MESSAGES_RECEIVED, "qos", "1"),
  /** QoS 2 messages from clients. */
  QOS2_RECEIVED("messages.qos2.received", ClientMetric.MESSAGES_RECEIVED, "qos", "2"),
  /** Messages to clients. */
  MESSAGES_SENT("messages.sent", ClientMetric.MESSAGES_SENT),
  /** QoS 0 messages to clients. */
  QOS0_SENT("messages.qos0.sent", ClientMetric.MESSAGES_SENT, "qos", "0"),
  /** QoS 1 messages to clients. */
  QOS1_SENT("messages.qos1.sent", ClientMetric.MESSAGES_SENT, "qos", "1"),
  /** QoS 2 messages to clients. */
  QOS2_SENT("messages.qos2.sent", ClientMetric.MESSAGES_SENT, "qos", "2"),
  /** Dropped messages. */
  MESSAGES_DROPPED("messages.dropped", ClientMetric.MESSAGES_DROPPED),
  /** Messages dropped by sessions. */
  DELIVERY_DROPPED("delivery.dropped", ClientMetric.MESSAGES_DROPPED, "at", "session"),
  /** Messages dropped because a queue was full. */
  DELIVERY_DROPPED_QUEUE_FULL(
      "delivery.dropped.queue_full", ClientMetric.MESSAGES_DROPPED, "reason", "queue_full"),
  /** Messages dropped because they had expired. */
  DELIVERY_DROPPED_EXPIRED(
      "delivery.dropped.expired", ClientMetric.MESSAGES_DROPPED, "reason", "expired"),
  /** Accepted clients. */
  CLIENT_CONNECTED("client.connected", ClientMetric.CONNECTIONS_OPENED),
  /** Clients whose connection has ended. */
  CLIENT_DISCONNECTED("client.disconnected", ClientMetric.CONNECTIONS_CLOSED);

  private final String label;
  private final Metric metric;
  private final String tag;
  private final String value;

  ClientCounter(String label, Metric metric, String tag, String value) {
    this.label = label;
    this.metric = metric;
    this.tag = tag;
    this.value = value;
  }

  ClientCounter(String label, Metric metric) {
    this(label, metric, "", "");
  }

  /** The number of packets of a type. */
  ClientCounter(String label, String packetType) {
    this(label, ClientMetric.PACKETS_RECEIVED, "type", packetType);
  }

  /** The name in the API. */
  public String label() {
    return label;
  }

  /** A description of the counter, with the metric that has the same value. */
  public String description() {
    return "%s; the metric `%s`%s"
        .formatted(
            metric.help(),
            metric.exposedName(),
            tag.isEmpty() ? "" : " with " + tag + " `" + value + "`");
  }

  long read(Meters meters) {
    return Math.round(meters.total(metric, tag, value));
  }
}
