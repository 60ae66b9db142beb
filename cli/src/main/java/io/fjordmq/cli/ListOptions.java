package io.fjordmq.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that print a list. */
final class ListOptions {
  private static final int TERMINAL_LIMIT = 100;

  @Option(names = "--json", description = "print a JSON array with the elements as in the API")
  boolean isJson;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description =
          "maximum number of elements, 0 for all (default: 100 on a terminal, otherwise all)")
  @Nullable Integer limit;

  @Mixin WatchOption watch = new WatchOption();

  /**
   * Returns the maximum number of elements.
   *
   * @throws UsageException if it is negative
   */
  int maxElements(boolean onTerminal) {
    if (limit == null) {
      return onTerminal && !isJson ? TERMINAL_LIMIT : Integer.MAX_VALUE;
    }
    if (limit < 0) {
      throw new UsageException("--limit must be at least 0, not " + limit);
    }
    return limit == 0 ? Integer.MAX_VALUE : limit;
  }
}
