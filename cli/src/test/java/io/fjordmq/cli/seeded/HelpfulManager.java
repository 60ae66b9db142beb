package io.fjordmq.cli.seeded;

import org.jspecify.annotations.Nullable;

/** Has a name that fits any class, and a mutable static. */
public final class HelpfulManager {
  static @Nullable String lastHost;

  private HelpfulManager() {}
}
