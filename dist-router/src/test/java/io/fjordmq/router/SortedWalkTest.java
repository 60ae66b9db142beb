package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Goal: the walk visits filters in the order of their texts, and few others. */
class SortedWalkTest {
  private static FilterTrie<String> trieOf(Iterable<String> filters) {
    FilterTrie<String> trie = new FilterTrie<>(new LossyInterner<>());
    filters.forEach(filter -> trie.put(filter, filter));
    return trie;
  }

  private static List<String> walk(FilterTrie<String> trie, String after, int max) {
    List<String> visited = new ArrayList<>();
    boolean complete =
        trie.walk(after)
            .run(
                () -> false,
                filter -> {
                  visited.add(filter);
                  return visited.size() < max;
                });
    assertThat(complete).isTrue();
    return visited;
  }

  /** Levels that begin with each other, and with characters before and after the slash. */
  @Provide
  Arbitrary<Set<String>> filters() {
    return Arbitraries.of("", "a", "a-", "a-b", "a0", "ab", "b", "+", "#", " ", "\uD83D\uDE00", "ö")
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .filter(levels -> levels.indexOf("#") < 0 || levels.indexOf("#") == levels.size() - 1)
        .map(levels -> String.join("/", levels))
        .filter(filter -> !filter.isEmpty())
        .set()
        .ofMaxSize(60);
  }

  @Property(tries = 500)
  void shouldVisitFiltersInTheOrderOfTheirTexts(@ForAll("filters") Set<String> filters) {
    TreeSet<String> sorted = new TreeSet<>(filters);
    FilterTrie<String> trie = trieOf(filters);
    assertThat(walk(trie, "", Integer.MAX_VALUE)).isEqualTo(List.copyOf(sorted));
    for (String start : List.of("a", "a/", "a/a-", "b/+", "c", "+/", "/")) {
      assertThat(walk(trie, start, Integer.MAX_VALUE))
          .as("after %s", start)
          .isEqualTo(List.copyOf(sorted.tailSet(start, false)));
    }
    for (String start : sorted) {
      assertThat(walk(trie, start, 3))
          .as("after %s", start)
          .isEqualTo(sorted.tailSet(start, false).stream().limit(3).toList());
    }
  }

  @Test
  void shouldVisitMoreChildrenThanItSelectsAtOnce() {
    TreeSet<String> filters = new TreeSet<>();
    for (int i = 0; i < 20_000; i++) {
      filters.add("site/" + i + (i % 3 == 0 ? "/power" : ""));
    }
    FilterTrie<String> trie = trieOf(filters);
    assertThat(walk(trie, "", Integer.MAX_VALUE)).isEqualTo(List.copyOf(filters));
    assertThat(walk(trie, "site/5", 10))
        .isEqualTo(filters.tailSet("site/5", false).stream().limit(10).toList());
  }

  @Test
  void shouldWalkFiltersWithThousandsOfLevels() {
    String deep = "/a".repeat(10_000);
    assertThat(walk(trieOf(List.of(deep, "b")), "", 10)).containsExactly(deep, "b");
  }

  @Test
  void shouldNotDescendBelowFiltersThatAreNotVisited() {
    FilterTrie<String> trie = new FilterTrie<>(new LossyInterner<>());
    for (int i = 0; i < 100; i++) {
      for (int k = 0; k < 100; k++) {
        String filter = "site/%02d/%02d".formatted(i, k);
        trie.put(filter, filter);
      }
    }
    int[] steps = new int[1];
    List<String> visited = new ArrayList<>();
    trie.walk("site/50/98")
        .run(
            () -> ++steps[0] > 1_000,
            filter -> {
              visited.add(filter);
              return visited.size() < 3;
            });
    assertThat(visited).containsExactly("site/50/99", "site/51/00", "site/51/01");
    assertThat(steps[0]).as("steps of the walk").isLessThan(10);
  }
}
