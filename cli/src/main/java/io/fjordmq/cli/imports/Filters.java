package io.fjordmq.cli.imports;

/** Compares the topics of rules, which are topic filters. Placeholders count as text. */
final class Filters {
  private Filters() {}

  /** Whether every topic that matches the other filter matches this one; false if in doubt. */
  static boolean covers(String filter, String other) {
    String[] levels = filter.split("/", -1);
    String[] others = other.split("/", -1);
    if (isWildcard(levels[0]) && others[0].startsWith("$")) {
      return false;
    }
    for (int i = 0; i < levels.length; i++) {
      if (levels[i].equals("#")) {
        return true;
      }
      boolean isCovered =
          i < others.length
              && !others[i].equals("#")
              && (levels[i].equals("+") || levels[i].equals(others[i]));
      if (!isCovered) {
        return false;
      }
    }
    return levels.length == others.length;
  }

  /** Whether a topic can match both filters; true if in doubt. */
  static boolean overlap(String filter, String other) {
    String[] levels = filter.split("/", -1);
    String[] others = other.split("/", -1);
    int common = Math.min(levels.length, others.length);
    for (int i = 0; i < common; i++) {
      if (levels[i].equals("#") || others[i].equals("#")) {
        return true;
      }
      if (isText(levels[i]) && isText(others[i]) && !levels[i].equals(others[i])) {
        return false;
      }
    }
    String[] longer = levels.length > others.length ? levels : others;
    return longer.length == common || longer[common].equals("#");
  }

  private static boolean isWildcard(String level) {
    return level.equals("+") || level.equals("#");
  }

  /** Whether the level stands for itself: it is neither a wildcard nor has placeholders. */
  private static boolean isText(String level) {
    return !isWildcard(level) && !level.contains("%") && !level.contains("${");
  }
}
