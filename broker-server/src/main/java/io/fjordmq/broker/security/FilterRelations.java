package io.fjordmq.broker.security;

/** Relations between topic filters (MQTT 5.0 §4.7). */
final class FilterRelations {
  private FilterRelations() {}

  /** True if the outer filter matches every topic that the inner one matches. */
  static boolean covers(String outer, String inner) {
    if (!reaches(outer, inner)) {
      return false;
    }
    String[] all = outer.split("/", -1);
    String[] some = inner.split("/", -1);
    for (int i = 0; i < all.length; i++) {
      if (all[i].equals("#")) {
        return true;
      }
      // Only # matches any number of levels.
      if (i >= some.length || some[i].equals("#")) {
        return false;
      }
      if (!all[i].equals("+") && !all[i].equals(some[i])) {
        return false;
      }
    }
    return all.length == some.length;
  }

  /** True if some topic matches both filters. */
  static boolean overlap(String one, String other) {
    if (!reaches(one, other) || !reaches(other, one)) {
      return false;
    }
    String[] these = one.split("/", -1);
    String[] those = other.split("/", -1);
    for (int i = 0; i < Math.max(these.length, those.length); i++) {
      if (isHash(these, i) || isHash(those, i)) {
        return true;
      }
      if (i >= these.length || i >= those.length) {
        return false;
      }
      if (!these[i].equals("+") && !those[i].equals("+") && !these[i].equals(those[i])) {
        return false;
      }
    }
    return true;
  }

  /** Leading wildcards do not match topics that begin with $ (§4.7.2). */
  private static boolean reaches(String filter, String other) {
    boolean beginsWithWildcard = filter.startsWith("+") || filter.startsWith("#");
    return !(beginsWithWildcard && other.startsWith("$"));
  }

  private static boolean isHash(String[] levels, int at) {
    return at < levels.length && levels[at].equals("#");
  }
}
