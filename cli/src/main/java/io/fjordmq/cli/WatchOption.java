package io.fjordmq.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --watch}. */
final class WatchOption {
  private static final int MAX_SECONDS = 86_400;

  @Option(
      names = "--watch",
      arity = "0..1",
      fallbackValue = "2",
      paramLabel = "SECONDS",
      description = "refresh every SECONDS (default: ${FALLBACK-VALUE}) until interrupted")
  @Nullable Integer seconds;

  /**
   * Returns the interval; 0 to print once.
   *
   * @throws UsageException if it is out of bounds
   */
  int interval() {
    if (seconds == null) {
      return 0;
    }
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw new UsageException(
          "--watch must be between 1 and " + MAX_SECONDS + " seconds, not " + seconds);
    }
    return seconds;
  }
}
