package io.fjordmq.retain;

/**
 * Settings of the retain store.
 *
 * @param initialRanges number of ranges that a new cluster starts with, 1 to 256
 * @param maxMessages maximum number of retained messages of all tenants; beyond it, messages for
 *     new topics are rejected. Messages in flight are not counted
 * @param maxIndexBytes approximate memory for the topic indexes of this node; if the index of a
 *     range does not fit, lookups with wildcards scan the rows of the range
 */
public record RetainSettings(int initialRanges, long maxMessages, long maxIndexBytes) {
  public static final RetainSettings DEFAULTS = new RetainSettings(2, Long.MAX_VALUE, 128L << 20);

  /** Keys have this many buckets, and a range holds at least one. */
  private static final int MAX_INITIAL_RANGES = 256;

  /** Creates settings with the default memory for the index. */
  public RetainSettings(int initialRanges, long maxMessages) {
    this(initialRanges, maxMessages, 128L << 20);
  }

  /**
   * Validates the settings.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names the setting
   */
  public RetainSettings {
    if (initialRanges < 1 || initialRanges > MAX_INITIAL_RANGES) {
      throw new IllegalArgumentException(
          "initialRanges must be between 1 and " + MAX_INITIAL_RANGES + ", not " + initialRanges);
    }
    if (maxMessages < 0) {
      throw new IllegalArgumentException("maxMessages must be at least 0, not " + maxMessages);
    }
    if (maxIndexBytes < 0) {
      throw new IllegalArgumentException("maxIndexBytes must be at least 0, not " + maxIndexBytes);
    }
  }
}
