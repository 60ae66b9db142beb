package io.fjordmq.range.load;

/**
 * Limits of {@link LoadSplitStrategy} for the ranges of a store; part of its configuration section.
 *
 * @param ioNanosLimit mean storage time per command, in nanoseconds, above which storage itself is
 *     the bottleneck and nothing is split
 * @param maxIoDensity maximum commands and queries per second of a range; a range that exceeds it
 *     in each second of the window is split
 */
public record SplitLimits(long ioNanosLimit, int maxIoDensity) {
  /** The default limits. */
  public static final SplitLimits DEFAULTS = new SplitLimits(30_000, 20_000);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public SplitLimits {
    require(ioNanosLimit >= 1, "ioNanosLimit must be at least 1, not " + ioNanosLimit);
    require(maxIoDensity >= 1, "maxIoDensity must be at least 1, not " + maxIoDensity);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
