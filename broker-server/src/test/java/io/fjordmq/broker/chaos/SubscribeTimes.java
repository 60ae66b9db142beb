package io.fjordmq.broker.chaos;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The latency of SUBSCRIBE for each kind of fault, for information only. A SUBSCRIBE whose
 * connection closed does not count. Thread-safe.
 */
final class SubscribeTimes {
  private static final class LatencyStats {
    private int answered;
    private int refused;
    private long slowestMillis;
  }

  private final Map<String, LatencyStats> timesByKind = new TreeMap<>();
  private String kind = "no fault";

  /** Sets the fault being injected from now on. */
  synchronized void setFault(String kindOfFault) {
    kind = kindOfFault;
  }

  /** Records a SUBSCRIBE sent at this {@link System#nanoTime}, acknowledged or timed out. */
  synchronized void add(long began, boolean success) {
    LatencyStats times = timesByKind.computeIfAbsent(kind, name -> new LatencyStats());
    if (success) {
      times.answered++;
    } else {
      times.refused++;
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    times.slowestMillis = Math.max(times.slowestMillis, millis);
  }

  /** A line for each kind of fault. */
  synchronized String latencyReport() {
    StringBuilder lines = new StringBuilder();
    timesByKind.forEach(
        (name, times) ->
            lines.append(
                "%-20s SUBSCRIBE: %d answered, %d refused or unanswered, slowest %d ms%n"
                    .formatted(name, times.answered, times.refused, times.slowestMillis)));
    return lines.toString();
  }
}
