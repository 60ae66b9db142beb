package io.fjordmq.broker.query;

import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the levels of topic filters that directly follow a prefix, such as {@code 1} and {@code
 * +} below {@code site/}. Keeps the first levels only, so that its memory does not depend on the
 * number of topic filters. Not thread-safe.
 */
public final class TopicLevels {
  /**
   * A level below a prefix.
   *
   * @param level the text between two slashes; may be empty
   * @param isFilter whether a topic filter ends with this level
   * @param below number of topic filters that continue after this level
   */
  public record Level(String level, boolean isFilter, long below) {
    private Level and(Level other) {
      return new Level(level, isFilter || other.isFilter, below + other.below);
    }
  }

  private final String prefix;
  private final @Nullable String after;
  private final int limit;
  private final TreeMap<String, Level> first = new TreeMap<>();

  /**
   * @param prefix the text before the levels: empty, or ends with a slash
   * @param after only levels after this one are collected; null for all
   * @param limit maximum number of levels; &gt; 0
   */
  TopicLevels(String prefix, @Nullable String after, int limit) {
    this.prefix = prefix;
    this.after = after;
    this.limit = limit;
  }

  /** Adds a topic filter; each must be added only once. */
  void add(String filter) {
    if (!filter.startsWith(prefix)) {
      return;
    }
    int end = filter.indexOf('/', prefix.length());
    String level = filter.substring(prefix.length(), end < 0 ? filter.length() : end);
    // The last of the first levels only decreases, so a level that is ignored once is always
    // ignored.
    boolean isAmongFirst = first.size() < limit || level.compareTo(first.lastKey()) <= 0;
    if (!isAmongFirst || (after != null && level.compareTo(after) <= 0)) {
      return;
    }
    first.merge(level, new Level(level, end < 0, end < 0 ? 0 : 1), Level::and);
    if (first.size() > limit) {
      first.pollLastEntry();
    }
  }

  /** The levels, sorted by their text. */
  List<Level> sorted() {
    return first.values().stream().toList();
  }
}
