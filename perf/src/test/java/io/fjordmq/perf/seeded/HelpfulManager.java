package io.fjordmq.perf.seeded;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Has a name that fits any class, a mutable static, and a logger with another name. */
public final class HelpfulManager {
  static @Nullable Logger journal;

  private HelpfulManager() {}
}
