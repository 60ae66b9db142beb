package io.fjordmq.broker.limits;

/**
 * What was measured at one moment.
 *
 * @param heapPercent of the heap's long-lived part in use after the last garbage collection
 * @param directPercent of the direct memory for network buffers in use
 * @param loopLagMillis how late the latest event loop begins its work
 */
public record OverloadReading(int heapPercent, int directPercent, long loopLagMillis) {
  /** Nothing to worry about. */
  public static final OverloadReading CALM = new OverloadReading(0, 0, 0);
}
