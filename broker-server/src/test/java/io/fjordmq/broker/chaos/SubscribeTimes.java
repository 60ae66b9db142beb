package io.fjordmq.broker.chaos;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * How long SUBSCRIBE takes, for each kind of fault. A figure, not a verdict. A SUBSCRIBE whose
 * connection ended does not count. Thread-safe.
 */
final class SubscribeTimes {
  private static final class Times {
    private int answered;
    private int refused;
    private long slowestMillis;
  }

  private final Map<String, Times> kinds = new TreeMap<>();
  private String kind = "no fault";

  /** From now on this is done to the cluster. */
  synchronized void during(String kindOfFault) {
    kind = kindOfFault;
  }

  /** A SUBSCRIBE that was sent at this time ({@link System#nanoTime}) was answered or given up. */
  synchronized void add(long began, boolean success) {
    Times times = kinds.computeIfAbsent(kind, name -> new Times());
    if (success) {
      times.answered++;
    } else {
      times.refused++;
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    times.slowestMillis = Math.max(times.slowestMillis, millis);
  }

  /** A line for each kind of fault. */
  synchronized String lines() {
    StringBuilder lines = new StringBuilder();
    kinds.forEach(
        (name, times) ->
            lines.append(
                "%-20s SUBSCRIBE: %d answered, %d refused or unanswered, slowest %d ms%n"
                    .formatted(name, times.answered, times.refused, times.slowestMillis)));
    return lines.toString();
  }
}
