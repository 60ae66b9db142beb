package io.fjordmq.broker.limits;

/**
 * A reading of all measures at one point in time.
 *
 * @param heapPercent percentage of the heap used by long-lived objects after the last garbage
 *     collection
 * @param directPercent percentage of direct memory used by network buffers
 * @param loopLagMillis lag of the slowest event loop
 */
public record OverloadReading(int heapPercent, int directPercent, long loopLagMillis) {
  /** A reading of an idle node. */
  public static final OverloadReading IDLE = new OverloadReading(0, 0, 0);
}
