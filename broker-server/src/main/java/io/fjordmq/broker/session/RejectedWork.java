package io.fjordmq.broker.session;

import java.util.Locale;

/**
 * The kinds of work that a node rejects while it is overloaded or not serving clients; also a
 * metric label.
 */
public enum RejectedWork {
  /** A CONNECT. */
  CONNECT,
  /** A SUBSCRIBE, with all its filters. */
  SUBSCRIBE,
  /** A PUBLISH that was rejected with a reason code. */
  PUBLISH,
  /** A PUBLISH with QoS 0, which was dropped. */
  PUBLISH_QOS0,
  /**
   * An MQTT 3 publisher from which the broker has stopped reading, because MQTT 3 has no reason
   * code for it.
   */
  MQTT3_PUBLISHER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The value of the metric label. */
  public String label() {
    return label;
  }
}
