package io.fjordmq.broker.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Tracks which components request that this node be suspended. The node is suspended at the first
 * request and resumes when the last one is withdrawn. Thread-safe.
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
   * Requests a suspension.
   *
   * @param component the component that requests it; a second request by the same component has no
   *     effect
   * @param reason the reason, shown to operators
   */
  public synchronized void suspend(String component, String reason) {
    boolean first = reasons.isEmpty();
    if (reasons.putIfAbsent(component, reason) == null && first) {
      suspend.accept(reason);
    }
  }

  /** Withdraws the component's request. The node resumes when no request is left. */
  public synchronized void resume(String component) {
    if (reasons.remove(component) != null && reasons.isEmpty()) {
      resume.run();
    }
  }
}
