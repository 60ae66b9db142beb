package io.fjordmq.broker.limits;

import java.time.Duration;

/**
 * When a node has too much to do. Each measure has two thresholds: at the upper one new work is
 * refused, below the lower one it is taken again.
 *
 * @param enabled false never refuses anything for it
 * @param checkInterval how often the measures are read
 * @param heapHighPercent of the heap's long-lived part in use after a garbage collection
 * @param heapLowPercent the same, lower threshold
 * @param directHighPercent of the direct memory for network buffers in use
 * @param directLowPercent the same, lower threshold
 * @param loopLagHigh how late an event loop begins its work
 * @param loopLagLow the same, lower threshold
 * @param calmTime how long all measures have to be below their lower thresholds
 * @param stuckAfter while memory is short, clients that have not read for so long are disconnected,
 *     and a heap that was not collected for so long is collected
 * @param reservedDescriptors file descriptors that MQTT connections do not get; 0 for none
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
    Duration calmTime,
    Duration stuckAfter,
    int reservedDescriptors) {
  /** Late enough not to be met in normal work, early enough to answer with reasons. */
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
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public OverloadSettings {
    positive("checkInterval", checkInterval);
    below("heapLowPercent", heapLowPercent, "heapHighPercent", heapHighPercent);
    below("directLowPercent", directLowPercent, "directHighPercent", directHighPercent);
    positive("loopLagLow", loopLagLow);
    if (loopLagLow.compareTo(loopLagHigh) >= 0) {
      throw new IllegalArgumentException(
          "loopLagLow must be less than loopLagHigh, not " + loopLagLow.toMillis() + " ms");
    }
    positive("calmTime", calmTime);
    positive("stuckAfter", stuckAfter);
    if (reservedDescriptors < 0) {
      throw new IllegalArgumentException(
          "reservedDescriptors must not be negative, not " + reservedDescriptors);
    }
  }

  private static void positive(String name, Duration time) {
    if (time.toMillis() < 1) {
      throw new IllegalArgumentException(name + " must be at least 1 ms");
    }
  }

  private static void below(String lowName, int low, String highName, int high) {
    if (high < 1 || high > 100) {
      throw new IllegalArgumentException(highName + " must be 1 to 100, not " + high);
    }
    if (low < 0 || low >= high) {
      throw new IllegalArgumentException(
          lowName + " must be 0 to " + (high - 1) + ", less than " + highName + ", not " + low);
    }
  }
}
