package io.fjordmq.broker.scenario;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares received packets with expected ones, packet by packet, word by word. {@code *} matches
 * any value of a word, {@code ...} at the end any further words.
 */
final class Expectation {
  private Expectation() {}

  /** The first expected packet that did not arrive; null if all did. */
  static @Nullable Statement firstMismatch(List<Statement> expected, List<String> seen) {
    for (int i = 0; i < expected.size(); i++) {
      if (i >= seen.size() || !matches(expected.get(i), seen.get(i))) {
        return expected.get(i);
      }
    }
    return null;
  }

  private static boolean matches(Statement expected, String seen) {
    List<String> wanted = expected.words();
    List<String> words = Statement.parse(expected.file(), expected.line(), seen).words();
    boolean open = wanted.get(wanted.size() - 1).equals("...");
    int count = open ? wanted.size() - 1 : wanted.size();
    if (words.size() < count || (words.size() > count && !open)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (!wordMatches(wanted.get(i), words.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean wordMatches(String wanted, String word) {
    return wanted.endsWith("=*")
        ? word.startsWith(wanted.substring(0, wanted.length() - 1))
        : word.equals(wanted);
  }
}
