package io.fjordmq.perf.check;

/**
 * The numbers of messages that were sent but never delivered.
 *
 * @param lost messages that the broker acknowledged, or that need no acknowledgement (QoS 0)
 * @param unacknowledged messages that the broker did not acknowledge and therefore does not have to
 *     deliver
 */
public record Missing(long lost, long unacknowledged) {
  public static final Missing NONE = new Missing(0, 0);

  /** Returns the sums of both. */
  public Missing plus(Missing other) {
    return new Missing(lost + other.lost, unacknowledged + other.unacknowledged);
  }
}
