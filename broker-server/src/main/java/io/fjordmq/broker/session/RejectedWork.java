package io.fjordmq.broker.session;

import java.util.Locale;

/** Work that a node rejects while overloaded or not serving clients; the label of a metric. */
public enum RejectedWork {
  /** A CONNECT. */
  CONNECT,
  /** A SUBSCRIBE, with all its filters. */
  SUBSCRIBE,
  /** A PUBLISH that was rejected with a reason code. */
  PUBLISH,
  /** A PUBLISH of QoS 0, dropped. */
  PUBLISH_QOS0,
  /** An MQTT 3 publisher that is no longer read, because it cannot get a reason code. */
  MQTT3_PUBLISHER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Label value in metrics. */
  public String label() {
    return label;
  }
}
