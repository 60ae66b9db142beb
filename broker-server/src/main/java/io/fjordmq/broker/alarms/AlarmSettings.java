package io.fjordmq.broker.alarms;

import java.time.Duration;

/**
 * Settings for activating and deactivating alarms.
 *
 * @param checkInterval interval between checks
 * @param activateAfter how long a condition that is normal for a short time, such as a range
 *     without a leader, must last before it activates an alarm
 * @param deactivateAfter how long a condition must be gone before its alarm is deactivated
 * @param maxHistory maximum number of deactivated alarms that a node remembers
 * @param certificateExpiry remaining validity below which a certificate is reported
 * @param clockSkew difference between wall clock and cluster time at which the clock is reported
 * @param descriptorsPercent percentage of the file descriptors in use at which they are reported
 * @param upgradePending time after which an upgrade of the cluster that is not finished is reported
 */
public record AlarmSettings(
    Duration checkInterval,
    Duration activateAfter,
    Duration deactivateAfter,
    int maxHistory,
    Duration certificateExpiry,
    Duration clockSkew,
    int descriptorsPercent,
    Duration upgradePending) {

  /** The defaults. */
  public static final AlarmSettings DEFAULTS =
      new AlarmSettings(
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          1_000,
          Duration.ofDays(21),
          Duration.ofSeconds(1),
          80,
          Duration.ofDays(7));

  private static final int MAX_HISTORY = 10_000;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public AlarmSettings {
    require(
        checkInterval.toMillis() >= 100,
        "checkInterval must be at least 100 ms, not " + checkInterval.toMillis() + " ms");
    require(
        !activateAfter.isNegative(),
        "activateAfter must be at least 0 ms, not " + activateAfter.toMillis() + " ms");
    require(
        !deactivateAfter.isNegative(),
        "deactivateAfter must be at least 0 ms, not " + deactivateAfter.toMillis() + " ms");
    require(
        maxHistory >= 0 && maxHistory <= MAX_HISTORY,
        "maxHistory must be between 0 and " + MAX_HISTORY + ", not " + maxHistory);
    require(
        !certificateExpiry.isNegative(),
        "certificateExpiry must be at least 0 ms, not " + certificateExpiry.toMillis() + " ms");
    require(
        clockSkew.toMillis() >= 100,
        "clockSkew must be at least 100 ms, not " + clockSkew.toMillis() + " ms");
    require(
        descriptorsPercent >= 1 && descriptorsPercent <= 100,
        "descriptorsPercent must be between 1 and 100, not " + descriptorsPercent);
    require(
        !upgradePending.isNegative(),
        "upgradePending must be at least 0 ms, not " + upgradePending.toMillis() + " ms");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
