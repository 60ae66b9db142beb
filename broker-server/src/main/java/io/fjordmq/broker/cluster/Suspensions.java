package io.fjordmq.broker.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Tracks the causes for which this node is suspended. The node is suspended when the first cause
 * appears and resumes when the last one is gone. Thread-safe.
 */
public final class Suspensions {
  private final Consumer<String> suspend;
  private final Runnable resume;
  private final Map<String, String> reasons = new LinkedHashMap<>();

  /**
   * @param suspend called with the reason to suspend the node
   * @param resume called to resume the node
   */
  public Suspensions(Consumer<String> suspend, Runnable resume) {
    this.suspend = suspend;
    this.resume = resume;
  }

  /**
   * @param component the component that requests the suspension; a second request by the same
   *     component has no effect
   * @param reason the reason, shown to operators
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
