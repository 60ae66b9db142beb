package io.fjordmq.broker.limits;

/**
 * The measures at one moment.
 *
 * @param heapPercent long-lived part of the heap in use after the last garbage collection
 * @param directPercent direct memory for network buffers in use
 * @param loopLagMillis lag of the slowest event loop
 */
public record OverloadReading(int heapPercent, int directPercent, long loopLagMillis) {
  /** A reading of an idle node. */
  public static final OverloadReading IDLE = new OverloadReading(0, 0, 0);
}
