package io.fjordmq.broker.limits;

import java.time.Duration;

/**
 * When a node counts as overloaded. Each measure has two thresholds: at the upper one new work is
 * refused, below the lower one it is accepted again.
 *
 * @param enabled false disables overload protection
 * @param checkInterval interval between readings
 * @param heapHighPercent long-lived part of the heap in use after a garbage collection
 * @param heapLowPercent the same, recovery threshold
 * @param directHighPercent direct memory for network buffers in use
 * @param directLowPercent the same, recovery threshold
 * @param loopLagHigh how late an event loop starts its tasks
 * @param loopLagLow the same, recovery threshold
 * @param recoveryTime how long all measures have to stay below their recovery thresholds
 * @param stuckAfter while memory is short, clients that have not read for this long are
 *     disconnected, and a garbage collection is requested if there was none for this long
 * @param reservedDescriptors file descriptors that MQTT connections cannot use; 0 for none
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
  /** High enough not to be reached in normal operation, low enough to refuse work in time. */
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
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public OverloadSettings {
    requirePositive("checkInterval", checkInterval);
    requireBelow("heapLowPercent", heapLowPercent, "heapHighPercent", heapHighPercent);
    requireBelow("directLowPercent", directLowPercent, "directHighPercent", directHighPercent);
    requirePositive("loopLagLow", loopLagLow);
    if (loopLagLow.compareTo(loopLagHigh) >= 0) {
      throw new IllegalArgumentException(
          "loopLagLow must be less than loopLagHigh, not " + loopLagLow.toMillis() + " ms");
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
      throw new IllegalArgumentException(name + " must be at least 1 ms");
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
