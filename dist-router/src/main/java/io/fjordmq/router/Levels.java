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

  private record SingleChild<N>(String level, N child) implements Children<N> {}

  private record ChildMap<N>(ConcurrentHashMap<String, N> byLevel) implements Children<N> {}

  @Nullable N get(String level) {
    Children<N> current = children;
    if (current instanceof SingleChild<N> single) {
      return single.level.equals(level) ? single.child : null;
    }
    return current == null ? null : ((ChildMap<N>) current).byLevel.get(level);
  }

  void put(String level, N child) {
    Children<N> current = children;
    if (current instanceof ChildMap<N> map) {
      map.byLevel.put(level, child);
    } else if (current instanceof SingleChild<N> single && !single.level.equals(level)) {
      ConcurrentHashMap<String, N> byLevel = new ConcurrentHashMap<>(4);
      byLevel.put(single.level, single.child);
      byLevel.put(level, child);
      children = new ChildMap<>(byLevel);
    } else {
      children = new SingleChild<>(level, child);
    }
  }

  void remove(String level) {
    Children<N> current = children;
    if (current instanceof ChildMap<N> map) {
      map.byLevel.remove(level);
      if (map.byLevel.isEmpty()) {
        children = null;
      }
    } else if (current instanceof SingleChild<N> single && single.level.equals(level)) {
      children = null;
    }
  }

  boolean isEmpty() {
    return children == null;
  }

  void forEach(Consumer<N> action) {
    forEachLevel((level, child) -> action.accept(child));
  }

  /** Passes the children that a wildcard at the first level matches to the action. */
  void forEachUnreserved(Consumer<N> action) {
    forEachLevel(
        (level, child) -> {
          if (!isReserved(level)) {
            action.accept(child);
          }
        });
  }

  /** Passes all children to the action, in no particular order. */
  void forEachLevel(BiConsumer<String, N> action) {
    Children<N> current = children;
    if (current instanceof ChildMap<N> map) {
      map.byLevel.forEach(action);
    } else if (current instanceof SingleChild<N> single) {
      action.accept(single.level, single.child);
    }
  }

  /** Returns whether wildcards do not match this first level of a topic (MQTT 5.0 §4.7.2). */
  static boolean isReserved(String text) {
    return !text.isEmpty() && text.charAt(0) == '$';
  }

  /** Returns the end of the level that starts at {@code from}. */
  static int endOfLevel(String text, int from) {
    int slash = text.indexOf('/', from);
    return slash < 0 ? text.length() : slash;
  }
}
