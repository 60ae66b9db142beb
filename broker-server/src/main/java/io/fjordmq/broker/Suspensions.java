package io.fjordmq.broker;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Several causes may suspend a node: it is suspended from the first request until the last cause is
 * gone. Thread-safe.
 */
public final class Suspensions {
  private final Consumer<String> rest;
  private final Runnable resume;
  private final Map<String, String> reasons = new LinkedHashMap<>();

  /**
   * @param rest suspends the node, given why
   * @param resume ends that
   */
  public Suspensions(Consumer<String> rest, Runnable resume) {
    this.rest = rest;
    this.resume = resume;
  }

  /**
   * @param who asks; once
   * @param why in a sentence for the operator
   */
  synchronized void rest(String who, String why) {
    boolean first = reasons.isEmpty();
    if (reasons.putIfAbsent(who, why) == null && first) {
      rest.accept(why);
    }
  }

  synchronized void resume(String who) {
    if (reasons.remove(who) != null && reasons.isEmpty()) {
      resume.run();
    }
  }
}
