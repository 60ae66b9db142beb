package io.fjordmq.router;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Children of a tree's node by topic level. Most nodes have none or one, and a million of them must
 * not cost a million hash maps: a map is made for the second child.
 */
final class Levels<N> {
  private @Nullable String firstLevel;
  private @Nullable N first;
  private @Nullable Map<String, N> more;

  @Nullable N get(String level) {
    if (more != null) {
      return more.get(level);
    }
    return level.equals(firstLevel) ? first : null;
  }

  void put(String level, N child) {
    if (more != null) {
      more.put(level, child);
    } else if (firstLevel == null || first == null || level.equals(firstLevel)) {
      firstLevel = level;
      first = child;
    } else {
      more = new HashMap<>();
      more.put(firstLevel, first);
      more.put(level, child);
      firstLevel = null;
      first = null;
    }
  }

  void remove(String level) {
    if (more != null) {
      more.remove(level);
      if (more.isEmpty()) {
        more = null;
      }
    } else if (level.equals(firstLevel)) {
      firstLevel = null;
      first = null;
    }
  }

  boolean isEmpty() {
    return more == null && first == null;
  }

  void forEach(Consumer<N> action) {
    if (more != null) {
      more.values().forEach(action);
    } else if (first != null) {
      action.accept(first);
    }
  }

  /** Those that a wildcard in this place matches. */
  void forEachUnreserved(Consumer<N> action) {
    if (more != null) {
      more.forEach(
          (level, child) -> {
            if (!isReserved(level)) {
              action.accept(child);
            }
          });
    } else if (first != null && firstLevel != null && !isReserved(firstLevel)) {
      action.accept(first);
    }
  }

  /** True for the first level of topics that wildcards do not match (MQTT 5.0 §4.7.2). */
  static boolean isReserved(String text) {
    return !text.isEmpty() && text.charAt(0) == '$';
  }

  /** End of the level that begins there. */
  static int endOfLevel(String text, int from) {
    int slash = text.indexOf('/', from);
    return slash < 0 ? text.length() : slash;
  }
}
