package io.fjordmq.broker.telemetry.otlp;

import io.fjordmq.broker.telemetry.TraceParent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the spans that clients can cause: their rate, and the deliveries of one message, because a
 * message can have very many receivers. Thread-safe; only used for traced messages.
 */
final class SpanLimits {
  /** Messages whose deliveries are counted; beyond this, the oldest is forgotten. */
  private static final int MAX_MESSAGES = 1_024;

  private final int perSecond;
  private final int perMessage;
  private final LongSupplier nanoTime;
  private final Map<TraceParent, Integer> deliveries =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<TraceParent, Integer> eldest) {
          return size() > MAX_MESSAGES;
        }
      };
  private long second;
  private int begun;

  /**
   * @param perSecond maximum spans per second; 0 for no limit
   * @param perMessage maximum deliveries of one message
   */
  SpanLimits(int perSecond, int perMessage, LongSupplier nanoTime) {
    this.perSecond = perSecond;
    this.perMessage = perMessage;
    this.nanoTime = nanoTime;
  }

  /** Returns whether a span may begin. */
  synchronized boolean permit() {
    long now = TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong());
    if (now != second) {
      second = now;
      begun = 0;
    }
    return perSecond == 0 || begun++ < perSecond;
  }

  /** Returns whether a span for a delivery of this message may begin. */
  synchronized boolean permitDelivery(TraceParent message) {
    int before = deliveries.getOrDefault(message, 0);
    if (before >= perMessage || !permit()) {
      return false;
    }
    deliveries.put(message, before + 1);
    return true;
  }
}
