package io.fjordmq.perf.check;

/**
 * Messages that were sent and never delivered.
 *
 * @param lost messages that the broker acknowledged, or that need no acknowledgement (QoS 0)
 * @param unacknowledged messages that were not acknowledged: the broker guaranteed nothing
 */
public record Missing(long lost, long unacknowledged) {
  public static final Missing NONE = new Missing(0, 0);

  /** Returns the sum of this and the other. */
  public Missing plus(Missing other) {
    return new Missing(lost + other.lost, unacknowledged + other.unacknowledged);
  }
}
