package io.fjordmq.broker.limits;

import java.time.Duration;

/**
 * Thresholds at which a node counts as overloaded. Each measure has two thresholds: at the upper
 * threshold, the node refuses new work; below the lower one (the recovery threshold), it accepts
 * new work again.
 *
 * @param enabled whether overload protection is enabled
 * @param checkInterval interval between readings
 * @param heapHighPercent upper threshold for the percentage of the heap used by long-lived objects
 *     after a garbage collection
 * @param heapLowPercent recovery threshold of the same measure
 * @param directHighPercent upper threshold for the percentage of direct memory used by network
 *     buffers
 * @param directLowPercent recovery threshold of the same measure
 * @param loopLagHigh upper threshold for the delay with which an event loop starts its tasks
 * @param loopLagLow recovery threshold of the same measure
 * @param recoveryTime how long all measures must stay below their recovery thresholds before
 *     overload ends
 * @param stuckAfter while memory is short, clients that have not read for this long are
 *     disconnected, and a garbage collection is requested if none has run for this long
 * @param reservedDescriptors number of file descriptors that MQTT connections cannot use; 0 for
 *     none
 */
public record OverloadSettings(
    boolean enabled,
    Duration checkInterval,
    int heapHighPercent,
    int heapLowPercent,
    int directHighPercent,
    int directLowPercent,
    Duration loopLagHigh,
    Duration loopLagLow,
    Duration recoveryTime,
    Duration stuckAfter,
    int reservedDescriptors) {
  /**
   * The defaults are high enough not to be reached in normal operation, and low enough to refuse
   * work in time.
   */
  public static final OverloadSettings DEFAULTS =
      new OverloadSettings(
          true,
          Duration.ofMillis(250),
          85,
          70,
          85,
          70,
          Duration.ofSeconds(2),
          Duration.ofMillis(500),
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          128);

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public OverloadSettings {
    requirePositive("checkInterval", checkInterval);
    requireBelow("heapLowPercent", heapLowPercent, "heapHighPercent", heapHighPercent);
    requireBelow("directLowPercent", directLowPercent, "directHighPercent", directHighPercent);
    requirePositive("loopLagLow", loopLagLow);
    if (loopLagLow.compareTo(loopLagHigh) >= 0) {
      throw new IllegalArgumentException(
          "loopLagLow must be less than loopLagHigh (%d ms), not %d ms"
              .formatted(loopLagHigh.toMillis(), loopLagLow.toMillis()));
    }
    requirePositive("recoveryTime", recoveryTime);
    requirePositive("stuckAfter", stuckAfter);
    if (reservedDescriptors < 0) {
      throw new IllegalArgumentException(
          "reservedDescriptors must be at least 0, not " + reservedDescriptors);
    }
  }

  private static void requirePositive(String name, Duration time) {
    if (time.toMillis() < 1) {
      throw new IllegalArgumentException(
          name + " must be at least 1 ms, not " + time.toMillis() + " ms");
    }
  }

  private static void requireBelow(String lowName, int low, String highName, int high) {
    if (high < 1 || high > 100) {
      throw new IllegalArgumentException(highName + " must be between 1 and 100, not " + high);
    }
    if (low < 0 || low >= high) {
      throw new IllegalArgumentException(
          lowName
              + " must be between 0 and "
              + (high - 1)
              + ", less than "
              + highName
              + ", not "
              + low);
    }
  }
}
