package io.fjordmq.broker.topicmetrics;

/** The counters of a topic. Nodes exchange them by position. */
public enum TopicCounter {
  /** QoS 0 messages published to the topic. */
  IN_QOS0("messages.qos0.in"),
  IN_QOS1("messages.qos1.in"),
  IN_QOS2("messages.qos2.in"),
  /** Copies sent to clients with QoS 0. */
  OUT_QOS0("messages.qos0.out"),
  OUT_QOS1("messages.qos1.out"),
  OUT_QOS2("messages.qos2.out"),
  /** Messages that were refused or had no subscribers, and copies that were dropped. */
  DROPPED("messages.dropped");

  static final int COUNT = values().length;

  private final String label;

  TopicCounter(String label) {
    this.label = label;
  }

  /** The name that EMQX uses, without {@code .count} or {@code .rate}. */
  String label() {
    return label;
  }
}
