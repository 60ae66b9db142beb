package io.fjordmq.api;

/**
 * Quality of service of a PUBLISH, or the maximum that a subscription accepts (MQTT 5.0 §4.3).
 *
 * @since 0.1.0
 */
public enum Qos {
  AT_MOST_ONCE,
  AT_LEAST_ONCE,
  EXACTLY_ONCE;

  private static final Qos[] BY_LEVEL = values();

  /**
   * Returns the quality of service with this protocol value.
   *
   * @throws IllegalArgumentException if level is not 0, 1 or 2
   */
  public static Qos of(int level) {
    if (level < 0 || level >= BY_LEVEL.length) {
      throw new IllegalArgumentException("QoS must be 0, 1 or 2, not " + level);
    }
    return BY_LEVEL[level];
  }

  /** Returns the protocol value: 0, 1 or 2. */
  public int level() {
    return ordinal();
  }

  /** Returns the lower of the two, such as the QoS at which a subscription receives a message. */
  public Qos min(Qos other) {
    return ordinal() <= other.ordinal() ? this : other;
  }

  /** Returns the higher of the two, such as the maximum QoS of overlapping subscriptions. */
  public Qos max(Qos other) {
    return ordinal() >= other.ordinal() ? this : other;
  }
}
