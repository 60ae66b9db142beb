package io.fjordmq.router;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A trie of topic filters without share names, each with a value, that finds the filters matching a
 * topic (MQTT 5.0 §4.7). It walks level by level without recursion, so filters with thousands of
 * levels cannot overflow the stack.
 *
 * <p>Supports one writer at a time and any number of lock-free readers, which see every change that
 * completed before they started. A reader that is still in a pruned branch finds the previous
 * content there; filters added later are in a new branch.
 */
final class FilterTrie<V> {
  private static final int NODES_PER_CHECK = 1_024;

  /** A level of filters. */
  static final class Node<V> {
    final Levels<Node<V>> literal = new Levels<>();
    volatile @Nullable Node<V> plus;

    /** Value of the filter that ends here. */
    volatile @Nullable V value;

    /** Value of the filter that ends here with {@code /#}; it matches this level and all below. */
    volatile @Nullable V hashValue;

    boolean isEmpty() {
      return value == null && !hasChildren();
    }

    /** Returns whether longer filters begin with this level. */
    boolean hasChildren() {
      return hashValue != null || plus != null || !literal.isEmpty();
    }
  }

  private final Node<V> root = new Node<>();
  private final LossyInterner<String> levels;
  private int size; // used only by the writer

  /**
   * @param levels interns the levels of added filters
   */
  FilterTrie(LossyInterner<String> levels) {
    this.levels = levels;
  }

  /** Returns the number of filters; only for the writer. */
  int size() {
    return size;
  }

  /** Returns the value of exactly this filter; null if it is absent. */
  @Nullable V get(String pattern) {
    Node<V> node = root;
    for (int from = 0; from <= pattern.length(); ) {
      int end = Levels.endOfLevel(pattern, from);
      if (isHash(pattern, from)) {
        return node.hashValue;
      }
      Node<V> child =
          isPlus(pattern, from, end) ? node.plus : node.literal.get(pattern.substring(from, end));
      if (child == null) {
        return null;
      }
      node = child;
      from = end + 1;
    }
    return node.value;
  }

  /** Adds a filter or replaces its value; returns the value it had. */
  @Nullable V put(String pattern, V value) {
    Node<V> node = root;
    for (int from = 0; from <= pattern.length(); ) {
      int end = Levels.endOfLevel(pattern, from);
      if (isHash(pattern, from)) {
        V before = node.hashValue;
        node.hashValue = value;
        size += before == null ? 1 : 0;
        return before;
      }
      node = childOrNew(node, pattern, from, end);
      from = end + 1;
    }
    V before = node.value;
    node.value = value;
    size += before == null ? 1 : 0;
    return before;
  }

  /** Removes a filter; returns the value it had, or null if it was absent. */
  @Nullable V remove(String pattern) {
    List<Node<V>> path = new ArrayList<>();
    Node<V> node = root;
    boolean hash = false;
    for (int from = 0; from <= pattern.length() && !hash; ) {
      int end = Levels.endOfLevel(pattern, from);
      hash = isHash(pattern, from);
      if (!hash) {
        Node<V> child =
            isPlus(pattern, from, end) ? node.plus : node.literal.get(pattern.substring(from, end));
        if (child == null) {
          return null;
        }
        path.add(node);
        node = child;
        from = end + 1;
      }
    }
    V before = hash ? node.hashValue : node.value;
    if (hash) {
      node.hashValue = null;
    } else {
      node.value = null;
    }
    size -= before == null ? 0 : 1;
    prune(path, node, pattern);
    return before;
  }

  /**
   * Passes the value of each filter that matches the topic to the consumer. Returns the number of
   * visited nodes. Each level with both a wildcard and a literal child can double that number, up
   * to all nodes of the trie.
   */
  int match(String topic, Consumer<? super V> matched) {
    int visited = 0;
    List<Node<V>> frontier = new ArrayList<>(4);
    List<Node<V>> below = new ArrayList<>(4);
    frontier.add(root);
    boolean wildcardsMatch = !Levels.isReserved(topic);
    for (int from = 0; from <= topic.length() && !frontier.isEmpty(); ) {
      int end = Levels.endOfLevel(topic, from);
      String level = topic.substring(from, end);
      visited += frontier.size();
      for (int i = 0; i < frontier.size(); i++) {
        Node<V> node = frontier.get(i);
        if (wildcardsMatch) {
          passIfSet(node.hashValue, matched);
          addIfSet(node.plus, below);
        }
        addIfSet(node.literal.get(level), below);
      }
      List<Node<V>> done = frontier;
      frontier = below;
      below = done;
      below.clear();
      wildcardsMatch = true;
      from = end + 1;
    }
    for (int i = 0; i < frontier.size(); i++) {
      passIfSet(frontier.get(i).value, matched);
      passIfSet(frontier.get(i).hashValue, matched); // "a/#" also matches "a"
    }
    return visited + frontier.size();
  }

  /** Passes the value of every filter to the action, in no particular order. */
  void forEach(Consumer<? super V> action) {
    forEachUntil(() -> false, action);
  }

  /**
   * Passes the value of every filter to the action, in no particular order, until the condition
   * becomes true.
   *
   * @param isOver checked once per {@link #NODES_PER_CHECK} nodes
   * @return whether every filter was passed
   */
  boolean forEachUntil(BooleanSupplier isOver, Consumer<? super V> action) {
    List<Node<V>> unvisited = new ArrayList<>();
    unvisited.add(root);
    for (int visited = 0; !unvisited.isEmpty(); visited++) {
      if (visited % NODES_PER_CHECK == 0 && isOver.getAsBoolean()) {
        return false;
      }
      Node<V> node = unvisited.remove(unvisited.size() - 1);
      passIfSet(node.value, action);
      passIfSet(node.hashValue, action);
      addIfSet(node.plus, unvisited);
      node.literal.forEach(unvisited::add);
    }
    return true;
  }

  /** Starts a walk over the filters after a text, in the order of their texts. */
  SortedWalk<V> walk(String after) {
    return new SortedWalk<>(root, after);
  }

  private Node<V> childOrNew(Node<V> node, String pattern, int from, int end) {
    if (isPlus(pattern, from, end)) {
      Node<V> plus = node.plus;
      if (plus == null) {
        plus = new Node<>();
        node.plus = plus;
      }
      return plus;
    }
    String level = pattern.substring(from, end);
    Node<V> child = node.literal.get(level);
    if (child == null) {
      child = new Node<>();
      node.literal.put(levels.intern(level), child);
    }
    return child;
  }

  private void prune(List<Node<V>> path, Node<V> last, String pattern) {
    Node<V> child = last;
    int end = endOfLevels(pattern, path.size());
    for (int i = path.size() - 1; i >= 0 && child.isEmpty(); i--) {
      Node<V> parent = path.get(i);
      int from = pattern.lastIndexOf('/', end - 1) + 1;
      if (isPlus(pattern, from, end)) {
        parent.plus = null;
      } else {
        parent.literal.remove(pattern.substring(from, end));
      }
      end = from - 1;
      child = parent;
    }
  }

  /** Returns the end of the first {@code levels} levels. */
  private static int endOfLevels(String pattern, int levels) {
    int end = -1;
    for (int i = 0; i < levels; i++) {
      end = Levels.endOfLevel(pattern, end + 1);
    }
    return end;
  }

  private static boolean isHash(String pattern, int from) {
    return from == pattern.length() - 1 && pattern.charAt(from) == '#';
  }

  private static boolean isPlus(String pattern, int from, int end) {
    return end == from + 1 && pattern.charAt(from) == '+';
  }

  private static <T> void passIfSet(@Nullable T value, Consumer<? super T> matched) {
    if (value != null) {
      matched.accept(value);
    }
  }

  private static <T> void addIfSet(@Nullable T node, List<T> nodes) {
    if (node != null) {
      nodes.add(node);
    }
  }
}
