package io.fjordmq.broker.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the known key that an unknown key was most likely meant to be. Also used for other names
 * that operators type.
 */
public final class NearestKey {
  /** Longer texts are not misspelled keys, and the cost of a comparison grows with their length. */
  private static final int MAX_LENGTH = 128;

  private NearestKey() {}

  /**
   * Returns a known key with the same name in another section, because most unknown keys are
   * misplaced; otherwise the known key with the smallest edit distance; null if no key is close
   * enough.
   */
  public static @Nullable String to(String unknown, Collection<String> known) {
    if (unknown.length() > MAX_LENGTH) {
      return null;
    }
    String name = nameOf(unknown);
    return known.stream()
        .filter(candidate -> nameOf(candidate).equalsIgnoreCase(name))
        .min(Comparator.comparingInt(candidate -> distance(unknown, candidate)))
        .orElseGet(() -> byEditDistance(unknown, known));
  }

  private static String nameOf(String key) {
    return key.substring(key.lastIndexOf('.') + 1);
  }

  private static @Nullable String byEditDistance(String unknown, Collection<String> known) {
    String best = null;
    int bestDistance = Math.max(2, unknown.length() / 3) + 1;
    for (String candidate : known) {
      int distance = distance(unknown, candidate);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best;
  }

  /** The Levenshtein distance, ignoring case. */
  static int distance(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[] above = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[b.length()];
  }
}
