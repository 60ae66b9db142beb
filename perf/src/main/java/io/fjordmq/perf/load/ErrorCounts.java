package io.fjordmq.perf.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts connection errors by reason, with examples of clients, in a bounded number of lines. */
final class ErrorCounts {
  private static final int MOST = 20;
  private static final int NAMES = 5;

  private final Map<String, Reason> reasons = new TreeMap<>();

  private static final class Reason {
    private final List<String> names = new ArrayList<>();
    private int count;
  }

  /**
   * Records an error. Any thread.
   *
   * @param name of the client; empty if irrelevant
   */
  synchronized void note(String why, String name) {
    if (reasons.size() >= MOST && !reasons.containsKey(why)) {
      return;
    }
    Reason reason = reasons.computeIfAbsent(why, none -> new Reason());
    reason.count++;
    if (!name.isEmpty() && reason.names.size() <= NAMES) {
      reason.names.add(reason.names.size() < NAMES ? name : "…");
    }
  }

  /** {@code 2 × CONNACK 0x03 (s0, p1)}. */
  synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    reasons.forEach(
        (why, reason) -> {
          String names = reason.names.isEmpty() ? "" : " (" + String.join(", ", reason.names) + ")";
          lines.add(reason.count + " × " + why + names);
        });
    return lines;
  }
}
