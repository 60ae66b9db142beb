package io.fjordmq.router;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A trie of topics, each with a value, that finds the topics matching a filter: the reverse of
 * {@link FilterTrie}, and like it without recursion. Not thread-safe.
 */
final class TopicIndex<V> {

  private static final class Node<V> {
    final Levels<Node<V>> children = new Levels<>();
    @Nullable V value;
  }

  private final Node<V> root = new Node<>();

  void put(String topic, V value) {
    Node<V> node = root;
    for (int from = 0; from <= topic.length(); ) {
      int end = Levels.endOfLevel(topic, from);
      String level = topic.substring(from, end);
      Node<V> child = node.children.get(level);
      if (child == null) {
        child = new Node<>();
        node.children.put(level, child);
      }
      node = child;
      from = end + 1;
    }
    node.value = value;
  }

  void remove(String topic) {
    List<Node<V>> path = new ArrayList<>();
    Node<V> node = root;
    for (int from = 0; from <= topic.length(); ) {
      int end = Levels.endOfLevel(topic, from);
      Node<V> child = node.children.get(topic.substring(from, end));
      if (child == null) {
        return;
      }
      path.add(node);
      node = child;
      from = end + 1;
    }
    node.value = null;
    int end = topic.length();
    for (int i = path.size() - 1; i >= 0; i--) {
      if (node.value != null || !node.children.isEmpty()) {
        return;
      }
      int from = topic.lastIndexOf('/', end - 1) + 1;
      path.get(i).children.remove(topic.substring(from, end));
      end = from - 1;
      node = path.get(i);
    }
  }

  /** Passes the value of each topic that the filter matches to the consumer. */
  void match(String pattern, Consumer<? super V> matched) {
    List<Node<V>> frontier = new ArrayList<>();
    frontier.add(root);
    for (int from = 0; from <= pattern.length() && !frontier.isEmpty(); ) {
      int end = Levels.endOfLevel(pattern, from);
      String level = pattern.substring(from, end);
      if (level.equals("#")) {
        passAllBelow(frontier, from == 0, matched);
        return;
      }
      List<Node<V>> below = new ArrayList<>();
      for (Node<V> node : frontier) {
        if (!level.equals("+")) {
          Node<V> child = node.children.get(level);
          if (child != null) {
            below.add(child);
          }
        } else if (from == 0) {
          node.children.forEachUnreserved(below::add);
        } else {
          node.children.forEach(below::add);
        }
      }
      frontier = below;
      from = end + 1;
    }
    frontier.forEach(node -> pass(node, matched));
  }

  private static <V> void passAllBelow(
      List<Node<V>> tops, boolean atFirstLevel, Consumer<? super V> matched) {
    List<Node<V>> unvisited = new ArrayList<>();
    for (Node<V> top : tops) {
      pass(top, matched); // "a/#" also matches "a"
      if (atFirstLevel) {
        top.children.forEachUnreserved(unvisited::add);
      } else {
        top.children.forEach(unvisited::add);
      }
    }
    while (!unvisited.isEmpty()) {
      Node<V> node = unvisited.remove(unvisited.size() - 1);
      pass(node, matched);
      node.children.forEach(unvisited::add);
    }
  }

  private static <V> void pass(Node<V> node, Consumer<? super V> matched) {
    if (node.value != null) {
      matched.accept(node.value);
    }
  }
}
