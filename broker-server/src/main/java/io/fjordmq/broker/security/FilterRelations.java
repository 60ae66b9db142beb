package io.fjordmq.broker.security;

/** Relations between topic filters (MQTT 5.0 §4.7). */
final class FilterRelations {
  private FilterRelations() {}

  /** Whether the outer filter matches every topic that the inner filter matches. */
  static boolean covers(String outer, String inner) {
    if (!reaches(outer, inner)) {
      return false;
    }
    String[] outerLevels = outer.split("/", -1);
    String[] innerLevels = inner.split("/", -1);
    for (int i = 0; i < outerLevels.length; i++) {
      if (outerLevels[i].equals("#")) {
        return true;
      }
      // Only # matches any number of levels.
      if (i >= innerLevels.length || innerLevels[i].equals("#")) {
        return false;
      }
      if (!outerLevels[i].equals("+") && !outerLevels[i].equals(innerLevels[i])) {
        return false;
      }
    }
    return outerLevels.length == innerLevels.length;
  }

  /** Whether any topic matches both filters. */
  static boolean overlap(String one, String other) {
    if (!reaches(one, other) || !reaches(other, one)) {
      return false;
    }
    String[] levels = one.split("/", -1);
    String[] otherLevels = other.split("/", -1);
    for (int i = 0; i < Math.max(levels.length, otherLevels.length); i++) {
      if (isHash(levels, i) || isHash(otherLevels, i)) {
        return true;
      }
      if (i >= levels.length || i >= otherLevels.length) {
        return false;
      }
      if (!levels[i].equals("+")
          && !otherLevels[i].equals("+")
          && !levels[i].equals(otherLevels[i])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the filter can match the other one's topics at all. A leading wildcard does not match
   * topics that begin with $ (§4.7.2).
   */
  private static boolean reaches(String filter, String other) {
    boolean beginsWithWildcard = filter.startsWith("+") || filter.startsWith("#");
    return !(beginsWithWildcard && other.startsWith("$"));
  }

  private static boolean isHash(String[] levels, int at) {
    return at < levels.length && levels[at].equals("#");
  }
}
