package io.fjordmq.router;

import io.fjordmq.router.FilterTrie.Node;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Visits the filters of a trie in the order of their texts, without a lock. Filters that are added
 * or removed meanwhile may or may not be visited. Used once.
 *
 * <p>The children of a node are not sorted. The walk selects the first of them, and selects again
 * if it needs more. Its cost therefore depends on the visited filters and on the number of children
 * of their ancestors, but not on the filters below other children.
 *
 * @param <V> value of a filter
 */
final class SortedWalk<V> {
  /** Number of children that are selected first. */
  private static final int FIRST_SELECTION = 1_024;

  /** How much larger each further selection is, so that few are needed to visit everything. */
  private static final int GROWTH = 8;

  /** Maximum number of children that are selected at once, which bounds the memory. */
  private static final int MAX_SELECTION = 65_536;

  /**
   * What is at or below a child of a node: a filter that ends there, or all longer ones. All texts
   * of longer ones continue with a slash, so they are adjacent, though not next to the filter that
   * ends there: {@code a}, {@code a-b}, {@code a/b}.
   *
   * @param value value of the filter that ends with the level; null for the longer ones
   */
  private record Item<V>(String level, @Nullable V value, Node<V> node) {
    /** Compares the texts, as if those of longer filters were just a slash longer. */
    static int compare(Item<?> a, Item<?> b) {
      int common = Math.min(a.level.length(), b.level.length());
      for (int i = 0; i < common; i++) {
        int byChar = a.level.charAt(i) - b.level.charAt(i);
        if (byChar != 0) {
          return byChar;
        }
      }
      int byNext = a.charOrSlash(common) - b.charOrSlash(common);
      return byNext != 0 ? byNext : a.length() - b.length();
    }

    /** Returns -1 after the end of the text. */
    int charOrSlash(int index) {
      return index < level.length() ? level.charAt(index) : index < length() ? '/' : -1;
    }

    int length() {
      return level.length() + (isBelow() ? 1 : 0);
    }

    boolean isBelow() {
      return value == null;
    }
  }

  /** A node on the path to the next filter. */
  private final class Step {
    private final Node<V> node;
    private final int rest;
    private final Deque<Item<V>> selected = new ArrayDeque<>();
    private int selectionSize = FIRST_SELECTION;
    private @Nullable Item<V> last;

    /** The last of a full selection; null while it is not full. */
    private @Nullable Item<V> highest;

    private boolean hasMore = true;

    /**
     * @param rest if the start of the walk is at or below the node, where the rest of its text
     *     begins; negative otherwise, because all filters below the node are after the start
     */
    Step(Node<V> node, int rest) {
      this.node = node;
      this.rest = rest;
    }

    @Nullable Item<V> next() {
      if (selected.isEmpty() && hasMore) {
        select();
      }
      return selected.poll();
    }

    private void select() {
      TreeSet<Item<V>> first = new TreeSet<>(ORDER);
      hasMore = false;
      highest = null;
      V hash = node.hashValue;
      if (hash != null) {
        add(new Item<>("#", hash, node), first);
      }
      Node<V> plus = node.plus;
      if (plus != null) {
        addChild("+", plus, first);
      }
      node.literal.forEachLevel((level, child) -> addChild(level, child, first));
      selected.addAll(first);
      last = first.isEmpty() ? last : first.last();
      selectionSize = Math.min(MAX_SELECTION, selectionSize * GROWTH);
    }

    private void addChild(String level, Node<V> child, TreeSet<Item<V>> first) {
      if (highest != null && areAllAfter(level, highest.level)) {
        hasMore = true; // most of many children end here, before their nodes are read
        return;
      }
      V value = child.value;
      if (value != null) {
        add(new Item<>(level, value, child), first);
      }
      if (child.hasChildren()) {
        add(new Item<>(level, null, child), first);
      }
    }

    private void add(Item<V> item, TreeSet<Item<V>> first) {
      if (highest != null && ORDER.compare(item, highest) > 0) {
        hasMore = true;
      } else if ((last == null || ORDER.compare(item, last) > 0) && isAfter(item)) {
        first.add(item);
        if (first.size() > selectionSize) {
          first.pollLast();
          hasMore = true;
        }
        highest = first.size() >= selectionSize ? first.last() : null;
      }
    }

    /**
     * Returns whether all filters that begin with a level are after all that begin with another.
     */
    private static boolean areAllAfter(String level, String other) {
      return level.compareTo(other) > 0 && !level.startsWith(other);
    }

    /** Returns whether the start of the walk is at or below the item. */
    private boolean leadsToStart(Item<V> item) {
      if (rest < 0 || !item.isBelow()) {
        return false;
      }
      int slash = rest + item.level.length();
      return after.startsWith(item.level, rest) && after.startsWith("/", slash);
    }

    /** Returns whether a text of the item may be after the start of the walk. */
    private boolean isAfter(Item<V> item) {
      if (rest < 0 || leadsToStart(item)) {
        return true;
      }
      int common = Math.min(item.length(), after.length() - rest);
      for (int i = 0; i < common; i++) {
        int byChar = item.charOrSlash(i) - after.charAt(rest + i);
        if (byChar != 0) {
          return byChar > 0;
        }
      }
      return item.length() > after.length() - rest;
    }

    Step below(Item<V> item) {
      return new Step(item.node, leadsToStart(item) ? rest + item.length() : -1);
    }
  }

  private static final Comparator<Item<?>> ORDER = Item::compare;

  private final String after;
  private final Deque<Step> path = new ArrayDeque<>();

  /**
   * @param after only filters after this text are visited; empty for all
   */
  SortedWalk(Node<V> root, String after) {
    this.after = after;
    path.push(new Step(root, 0));
  }

  /**
   * Runs the walk.
   *
   * @param visitor receives the values of the filters; returns false to end the walk
   * @param isOver ends the walk when it becomes true
   * @return false if {@code isOver} has ended the walk
   */
  boolean run(BooleanSupplier isOver, Predicate<? super V> visitor) {
    while (!path.isEmpty()) {
      if (isOver.getAsBoolean()) {
        return false;
      }
      Step step = path.peek();
      Item<V> item = step.next();
      if (item == null) {
        path.pop();
      } else if (item.value == null) {
        path.push(step.below(item));
      } else if (!visitor.test(item.value)) {
        return true;
      }
    }
    return true;
  }
}
