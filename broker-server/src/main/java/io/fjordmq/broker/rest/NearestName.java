package io.fjordmq.broker.rest;

import java.util.Collection;
import java.util.Locale;

/** Finds the known name that a caller probably meant. */
final class NearestName {
  private static final int MAX_COMPARED = 64;

  private NearestName() {}

  /** A suffix for the message about an unknown name: the nearest known name, or all names. */
  static String hint(String unknown, Collection<String> known) {
    if (known.isEmpty()) {
      return "; there are none";
    }
    String best = "";
    int bestDistance = Math.max(2, unknown.length() / 3) + 1;
    if (unknown.length() <= MAX_COMPARED) {
      for (String candidate : known) {
        int distance = distance(unknown.toLowerCase(Locale.ROOT), candidate);
        if (distance < bestDistance) {
          best = candidate;
          bestDistance = distance;
        }
      }
    }
    return best.isEmpty()
        ? "; known: " + String.join(", ", known.stream().sorted().toList())
        : "; did you mean " + best + "?";
  }

  /** The Levenshtein distance. */
  private static int distance(String a, String b) {
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
