package io.fjordmq.broker;

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
   * @param rest suspends the node, for the given reason
   * @param resume resumes the node
   */
  public Suspensions(Consumer<String> rest, Runnable resume) {
    this.suspend = rest;
    this.resume = resume;
  }

  /**
   * @param who the component that requests it; a second request of the same one has no effect
   * @param why the reason, for the operator
   */
  synchronized void suspend(String who, String why) {
    boolean first = reasons.isEmpty();
    if (reasons.putIfAbsent(who, why) == null && first) {
      suspend.accept(why);
    }
  }

  synchronized void resume(String who) {
    if (reasons.remove(who) != null && reasons.isEmpty()) {
      resume.run();
    }
  }
}
