package io.fjordmq.api;

/** Quality of service of a PUBLISH, or the highest one a subscription accepts (MQTT 5.0 §4.3). */
public enum Qos {
  AT_MOST_ONCE,
  AT_LEAST_ONCE,
  EXACTLY_ONCE;

  private static final Qos[] BY_LEVEL = values();

  /**
   * The quality of service with this number on the wire.
   *
   * @throws IllegalArgumentException if level is not 0, 1 or 2
   */
  public static Qos of(int level) {
    if (level < 0 || level >= BY_LEVEL.length) {
      throw new IllegalArgumentException("QoS must be 0, 1 or 2, not " + level);
    }
    return BY_LEVEL[level];
  }

  /** Its number on the wire. */
  public int level() {
    return ordinal();
  }

  /** The lower of the two: what a subscription of one makes of a message of the other. */
  public Qos min(Qos other) {
    return ordinal() <= other.ordinal() ? this : other;
  }

  /** The higher of the two: what overlapping subscriptions make together. */
  public Qos max(Qos other) {
    return ordinal() >= other.ordinal() ? this : other;
  }
}
