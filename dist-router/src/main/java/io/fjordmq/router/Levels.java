package io.fjordmq.router;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The children of a trie node by topic level. Most nodes have at most one child, and a million
 * nodes must not cost a million hash maps, so a map is created only for the second child.
 *
 * <p>Supports one writer at a time and any number of readers, which see every change that completed
 * before they started.
 */
final class Levels<N> {
  private volatile @Nullable Children<N> children;

  private sealed interface Children<N> {}

  private record Only<N>(String level, N child) implements Children<N> {}

  private record Several<N>(ConcurrentHashMap<String, N> byLevel) implements Children<N> {}

  @Nullable N get(String level) {
    Children<N> now = children;
    if (now instanceof Only<N> only) {
      return only.level.equals(level) ? only.child : null;
    }
    return now == null ? null : ((Several<N>) now).byLevel.get(level);
  }

  void put(String level, N child) {
    Children<N> now = children;
    if (now instanceof Several<N> several) {
      several.byLevel.put(level, child);
    } else if (now instanceof Only<N> only && !only.level.equals(level)) {
      ConcurrentHashMap<String, N> byLevel = new ConcurrentHashMap<>(4);
      byLevel.put(only.level, only.child);
      byLevel.put(level, child);
      children = new Several<>(byLevel);
    } else {
      children = new Only<>(level, child);
    }
  }

  void remove(String level) {
    Children<N> now = children;
    if (now instanceof Several<N> several) {
      several.byLevel.remove(level);
      if (several.byLevel.isEmpty()) {
        children = null;
      }
    } else if (now instanceof Only<N> only && only.level.equals(level)) {
      children = null;
    }
  }

  boolean isEmpty() {
    return children == null;
  }

  void forEach(Consumer<N> action) {
    forEach((level, child) -> action.accept(child));
  }

  /** Passes the children that a wildcard at the first level matches. */
  void forEachUnreserved(Consumer<N> action) {
    forEach(
        (level, child) -> {
          if (!isReserved(level)) {
            action.accept(child);
          }
        });
  }

  private void forEach(BiConsumer<String, N> action) {
    Children<N> now = children;
    if (now instanceof Several<N> several) {
      several.byLevel.forEach(action);
    } else if (now instanceof Only<N> only) {
      action.accept(only.level, only.child);
    }
  }

  /** Whether wildcards do not match this first level of a topic (MQTT 5.0 §4.7.2). */
  static boolean isReserved(String text) {
    return !text.isEmpty() && text.charAt(0) == '$';
  }

  /** The end of the level that starts at {@code from}. */
  static int endOfLevel(String text, int from) {
    int slash = text.indexOf('/', from);
    return slash < 0 ? text.length() : slash;
  }
}
