package io.fjordmq.broker.session;

import java.util.Locale;

/** What a node does not take that is overloaded or does not serve; the label of a metric. */
public enum RejectedWork {
  /** A client that was to connect. */
  CONNECT,
  /** A SUBSCRIBE, with all its filters. */
  SUBSCRIBE,
  /** A PUBLISH whose publisher was told. */
  PUBLISH,
  /** A PUBLISH of QoS 0, dropped. */
  PUBLISH_QOS0,
  /** A publisher that cannot be told (MQTT 3) began to be held back. */
  MQTT3_PUBLISHER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Value of the metric's label. */
  public String label() {
    return label;
  }
}
