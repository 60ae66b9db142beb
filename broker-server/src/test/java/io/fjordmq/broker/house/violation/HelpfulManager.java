package io.fjordmq.broker.house.violation;

import org.jspecify.annotations.Nullable;

/** Breaks many rules at once: see {@code ArchitectureTest}. */
public final class HelpfulManager {
  /** A mutable static. */
  static @Nullable String lastHost;

  private HelpfulManager() {}

  /** Reads configuration and knows RocksDB where neither belongs. */
  static int snoop(org.rocksdb.Options options) {
    lastHost = System.getenv("HOST");
    return options.maxOpenFiles();
  }
}
