package io.fjordmq.perf.tool;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The requirements of a scenario that {@code --without} can omit. */
enum Omission {
  /** Clients connect without a user name. */
  USERS,
  /** Processors and memory of each node are not limited. */
  NODE_LIMITS;

  /**
   * @throws UsageException if the word is unknown
   */
  static Omission of(String word) {
    return Arrays.stream(values())
        .filter(omission -> omission.toString().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--without must be one of "
                        + Arrays.stream(values())
                            .map(Omission::toString)
                            .collect(Collectors.joining(", "))
                        + ", not '"
                        + word
                        + "'"));
  }

  /** The word on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
