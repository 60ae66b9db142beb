package io.fjordmq.perf.tool;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What {@code --without} leaves out of a scenario. */
enum Omission {
  /** Clients connect without a name. */
  USERS,
  /** Processors and memory of each node are not limited. */
  NODE_LIMITS;

  /**
   * @throws UsageException if the word means nothing
   */
  static Omission of(String word) {
    return Arrays.stream(values())
        .filter(omission -> omission.toString().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--without is one of "
                        + Arrays.stream(values())
                            .map(Omission::toString)
                            .collect(Collectors.joining(", "))
                        + ", not '"
                        + word
                        + "'"));
  }

  /** The word. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
