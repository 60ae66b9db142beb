package io.fjordmq.retain;

/**
 * How retained messages are kept.
 *
 * @param initialRanges into how many ranges a new cluster cuts the store, 1 to 256
 * @param maxMessages retained messages of all tenants together; beyond, publishes to new topics are
 *     refused. Checked against a count that lags by what is in flight
 * @param maxIndexBytes memory for the index of topics on this node, about; a range that has no room
 *     in it searches its rows for filters with wildcards
 */
public record RetainSettings(int initialRanges, long maxMessages, long maxIndexBytes) {
  public static final RetainSettings DEFAULTS = new RetainSettings(2, Long.MAX_VALUE, 128L << 20);

  /** With the usual memory for the index. */
  public RetainSettings(int initialRanges, long maxMessages) {
    this(initialRanges, maxMessages, 128L << 20);
  }

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public RetainSettings {
    if (initialRanges < 1 || initialRanges > RetainKeys.BUCKETS) {
      throw new IllegalArgumentException(
          "initialRanges must be 1 to " + RetainKeys.BUCKETS + ", not " + initialRanges);
    }
    if (maxMessages < 0) {
      throw new IllegalArgumentException("maxMessages must not be negative: " + maxMessages);
    }
    if (maxIndexBytes < 0) {
      throw new IllegalArgumentException("maxIndexBytes must not be negative: " + maxIndexBytes);
    }
  }
}
