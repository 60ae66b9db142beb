package io.fjordmq.broker.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Counts the causes that suspend this node: it is suspended from the first cause until the last one
 * is gone. Thread-safe.
 */
public final class Suspensions {
  private final Consumer<String> suspend;
  private final Runnable resume;
  private final Map<String, String> reasons = new LinkedHashMap<>();

  /**
   * @param suspend suspends the node, for the given reason
   * @param resume resumes the node
   */
  public Suspensions(Consumer<String> suspend, Runnable resume) {
    this.suspend = suspend;
    this.resume = resume;
  }

  /**
   * @param component requests it; a second request by the same component has no effect
   * @param reason the reason, for the operator
   */
  public synchronized void suspend(String component, String reason) {
    boolean first = reasons.isEmpty();
    if (reasons.putIfAbsent(component, reason) == null && first) {
      suspend.accept(reason);
    }
  }

  public synchronized void resume(String component) {
    if (reasons.remove(component) != null && reasons.isEmpty()) {
      resume.run();
    }
  }
}
