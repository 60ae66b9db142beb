package io.fjordmq.broker.rest;

import io.fjordmq.broker.config.NearestKey;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Tells callers which name they probably meant. */
final class NearestName {
  /** Longer names are not compared, because the cost of a comparison grows with their length. */
  private static final int MAX_COMPARED = 64;

  private NearestName() {}

  /** A suffix for the message about an unknown name: the nearest known name, or all names. */
  static String hint(String unknown, Collection<String> known) {
    if (known.isEmpty()) {
      return "; there are none";
    }
    @Nullable String nearest =
        unknown.length() <= MAX_COMPARED ? NearestKey.to(unknown, known) : null;
    return nearest == null
        ? "; known: " + String.join(", ", known.stream().sorted().toList())
        : "; did you mean " + nearest + "?";
  }
}
