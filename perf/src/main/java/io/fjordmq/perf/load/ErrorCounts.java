package io.fjordmq.perf.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts connection errors by reason and keeps the names of some affected clients. Its memory is
 * bounded.
 */
final class ErrorCounts {
  private static final int MAX_REASONS = 20;
  private static final int MAX_NAMES = 5;

  private final Map<String, Reason> reasons = new TreeMap<>();

  private static final class Reason {
    private final List<String> names = new ArrayList<>();
    private int count;
  }

  /**
   * Records an error. May be called on any thread.
   *
   * @param name name of the client; empty if irrelevant
   */
  synchronized void note(String message, String name) {
    if (reasons.size() >= MAX_REASONS && !reasons.containsKey(message)) {
      return;
    }
    Reason reason = reasons.computeIfAbsent(message, none -> new Reason());
    reason.count++;
    if (!name.isEmpty() && reason.names.size() <= MAX_NAMES) {
      reason.names.add(reason.names.size() < MAX_NAMES ? name : "…");
    }
  }

  /** Returns one line per reason, such as {@code 2 × CONNACK 0x03 (s0, p1)}. */
  synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    reasons.forEach(
        (message, reason) -> {
          String names = reason.names.isEmpty() ? "" : " (" + String.join(", ", reason.names) + ")";
          lines.add(reason.count + " × " + message + names);
        });
    return lines;
  }
}
