package io.fjordmq.cluster.membership;

import java.time.Duration;

/**
 * Timing of finding and joining a cluster; the configuration section {@code joinConfig}.
 *
 * @param helloTimeout timeout of a hello to one address
 * @param helloInterval pause between two rounds of hellos
 * @param clockWarningThreshold clock difference at which a warning is logged
 * @param maxClockDifference clock difference at which a node may not join
 */
public record JoinSettings(
    Duration helloTimeout,
    Duration helloInterval,
    Duration clockWarningThreshold,
    Duration maxClockDifference) {

  /** The default settings. */
  public static final JoinSettings DEFAULTS =
      new JoinSettings(
          Duration.ofSeconds(2),
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofSeconds(60));

  /**
   * @throws IllegalArgumentException if a value is out of bounds; the message names it
   */
  public JoinSettings {
    require(
        helloTimeout.toMillis() >= 1,
        "helloTimeout must be at least 1 ms, not " + helloTimeout.toMillis() + " ms");
    require(
        helloInterval.toMillis() >= 1,
        "helloInterval must be at least 1 ms, not " + helloInterval.toMillis() + " ms");
    require(
        !clockWarningThreshold.isNegative(),
        "clockWarningThreshold must be at least 0 ms, not "
            + clockWarningThreshold.toMillis()
            + " ms");
    require(
        !maxClockDifference.isNegative(),
        "maxClockDifference must be at least 0 ms, not " + maxClockDifference.toMillis() + " ms");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
