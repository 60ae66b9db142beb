package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple3;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/**
 * Goal: a table always returns the result of trying every filter in turn, with a cache so small
 * that it evicts constantly, and returns the same object while no matching filter changes.
 */
class FilterTableTest {
  private static final String TENANT = "t";

  private final FilterTable<String, Set<String>> table = new FilterTable<>(TreeSet::new, 4);

  /** A step changes a filter or, if its third part is 2, matches the topic. */
  @Provide
  Arbitrary<List<Tuple3<String, String, Integer>>> steps() {
    Arbitrary<String> level = Arbitraries.of("a", "b", "", "$s");
    Arbitrary<String> topic =
        level
            .list()
            .ofMinSize(1)
            .ofMaxSize(4)
            .map(l -> String.join("/", l))
            .filter(t -> !t.isEmpty());
    Arbitrary<String> filterLevel = Arbitraries.of("a", "b", "", "+", "$s");
    Arbitrary<String> filter =
        Combinators.combine(
                filterLevel.list().ofMinSize(0).ofMaxSize(4), Arbitraries.of(true, false))
            .as(
                (levels, hash) -> {
                  List<String> all = new ArrayList<>(levels);
                  if (hash) {
                    all.add("#");
                  }
                  return String.join("/", all);
                })
            .filter(f -> !f.isEmpty());
    return Combinators.combine(filter, topic, Arbitraries.integers().between(0, 3))
        .as(Tuple::of)
        .list()
        .ofMaxSize(120);
  }

  @Property(tries = 400)
  void shouldMatchLikeTryingEveryFilterWhileFiltersChange(
      @ForAll("steps") @Size(min = 1) List<Tuple3<String, String, Integer>> steps) {
    FilterTable<String, Set<String>> tested = new FilterTable<>(TreeSet::new, 3);
    Map<String, String> model = new HashMap<>();
    for (Tuple3<String, String, Integer> step : steps) {
      String filter = step.get1();
      switch (step.get3()) {
        case 0 -> {
          tested.compute(TENANT, filter, old -> filter);
          model.put(filter, filter);
        }
        case 1 -> {
          tested.compute(TENANT, filter, old -> null);
          model.remove(filter);
        }
        default -> {}
      }
      Topic topic = new Topic(step.get2());
      Set<String> expected = new TreeSet<>();
      for (String each : model.keySet()) {
        if (TopicFilter.parse(each).matches(topic)) {
          expected.add(each);
        }
      }
      assertThat(tested.match(TENANT, topic.name())).isEqualTo(expected);
      assertThat(tested.size()).isEqualTo(model.size());
      assertThat(tested.cachedTopics()).isLessThanOrEqualTo(3);
    }
    for (String each : List.copyOf(model.keySet())) {
      tested.compute(TENANT, each, old -> null);
    }
    assertThat(tested.cachedTopics()).as("a tenant without filters uses no memory").isZero();
  }

  @Test
  void shouldReturnTheSameObjectWhenNoMatchingFilterChanged() {
    add("a/+");
    Set<String> before = table.match(TENANT, "a/b");

    add("b/#");
    add("+");

    assertThat(table.match(TENANT, "a/b")).isSameAs(before);
    add("#");
    assertThat(table.match(TENANT, "a/b")).containsExactly("#", "a/+");
  }

  @Test
  void shouldKeepHotTopicsWhenTheCacheIsFull() {
    add("#");
    Set<String> hot = table.match(TENANT, "hot");
    for (int i = 0; i < 100; i++) {
      table.match(TENANT, "cold/" + i);
      assertThat(table.match(TENANT, "hot")).isSameAs(hot);
    }
    assertThat(table.cachedTopics()).isEqualTo(4);
  }

  @Test
  void shouldNotCacheWhenTheTopicIsVeryLong() {
    add("#");
    assertThat(table.match(TENANT, "x".repeat(2_000))).containsExactly("#");
    assertThat(table.cachedTopics()).isZero();
  }

  @Test
  void shouldNotMatchAcrossTenants() {
    add("#");
    assertThat(table.match("other", "a")).isEmpty();
  }

  @Test
  void shouldMatchWhenAFilterHasThousandsOfLevels() {
    String deep = "a/".repeat(30_000) + "a";
    add(deep);
    add("a/".repeat(30_000) + "#");
    assertThat(table.match(TENANT, deep)).hasSize(2);
    table.compute(TENANT, deep, old -> null);
    assertThat(table.match(TENANT, deep)).hasSize(1);
  }

  /** Runs once in the middle of a match, after the filters were found. */
  private Runnable duringMatch = () -> {};

  private final FilterTable<String, Set<String>> interruptedTable =
      new FilterTable<>(
          filters -> {
            Runnable now = duringMatch;
            duringMatch = () -> {};
            now.run();
            return new TreeSet<>(filters);
          },
          4);

  @Test
  void shouldNotCacheAMatchDuringWhichAFilterWasAdded() {
    interruptedTable.compute(TENANT, "a", old -> "a");
    duringMatch = () -> interruptedTable.compute(TENANT, "#", old -> "#");
    assertThat(interruptedTable.match(TENANT, "a")).contains("a");
    assertThat(interruptedTable.match(TENANT, "a")).containsExactly("#", "a");
  }

  @Test
  void shouldNotCacheAMatchDuringWhichAFilterWasRemoved() {
    interruptedTable.compute(TENANT, "a", old -> "a");
    interruptedTable.compute(TENANT, "+", old -> "+");
    duringMatch = () -> interruptedTable.compute(TENANT, "+", old -> null);
    assertThat(interruptedTable.match(TENANT, "a")).contains("a");
    assertThat(interruptedTable.match(TENANT, "a")).containsExactly("a");
  }

  @Test
  void shouldNotCacheForATenantThatLostItsLastFilterMeanwhile() {
    interruptedTable.compute(TENANT, "a", old -> "a");
    duringMatch =
        () -> {
          interruptedTable.compute(TENANT, "a", old -> null);
          interruptedTable.compute(TENANT, "+", old -> "+");
        };
    assertThat(interruptedTable.match(TENANT, "a")).containsExactly("a");
    assertThat(interruptedTable.cachedTopics()).isZero();
    assertThat(interruptedTable.match(TENANT, "a")).containsExactly("+");
  }

  @Test
  void shouldRejectACacheWithoutCapacity() {
    assertThatThrownBy(() -> new FilterTable<String, Set<String>>(TreeSet::new, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxCachedTopics");
  }

  private void add(String filter) {
    table.compute(TENANT, filter, old -> filter);
  }
}
