package io.fjordmq.broker.slow;

import java.time.Duration;

/**
 * Settings of the list of slow subscriptions.
 *
 * @param threshold delivery latency from which a subscription counts as slow; 0 to measure nothing
 * @param maxEntries number of subscriptions that this node lists; beyond that, those with the
 *     lowest latency are removed
 * @param expiry time after which a subscription that was not slow again is removed
 */
public record SlowSubscriptionSettings(Duration threshold, int maxEntries, Duration expiry) {
  /** The defaults. */
  public static final SlowSubscriptionSettings DEFAULTS =
      new SlowSubscriptionSettings(Duration.ofMillis(500), 10, Duration.ofMinutes(5));

  private static final int MIN_THRESHOLD_MILLIS = 10;
  private static final int MAX_ENTRIES = 1_000;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public SlowSubscriptionSettings {
    if (!threshold.isZero() && threshold.toMillis() < MIN_THRESHOLD_MILLIS) {
      throw new IllegalArgumentException(
          "threshold must be at least %d ms, or 0, not %d ms"
              .formatted(MIN_THRESHOLD_MILLIS, threshold.toMillis()));
    }
    if (maxEntries < 1 || maxEntries > MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "maxEntries must be between 1 and %d, not %d".formatted(MAX_ENTRIES, maxEntries));
    }
    if (expiry.toMillis() < 1_000) {
      throw new IllegalArgumentException(
          "expiry must be at least 1 s, not " + expiry.toMillis() + " ms");
    }
  }
}
