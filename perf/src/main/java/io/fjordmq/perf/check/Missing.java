package io.fjordmq.perf.check;

/**
 * Messages that were sent and never delivered.
 *
 * @param lost of those that the broker had acknowledged, or that have no acknowledgement (QoS 0)
 * @param unanswered of those whose acknowledgement did not come either: the broker has promised
 *     nothing
 */
public record Missing(long lost, long unanswered) {
  public static final Missing NONE = new Missing(0, 0);

  /** Both together. */
  public Missing plus(Missing other) {
    return new Missing(lost + other.lost, unanswered + other.unanswered);
  }
}
