package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.query.PagedMerge.Merged;
import io.fjordmq.broker.query.PagedMerge.Order;
import io.fjordmq.broker.query.PagedMerge.Page;
import io.fjordmq.broker.query.PagedMerge.Source;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The merge against a model: the union of all lists. The lists respond late, in any order, with
 * pages of any size.
 */
class PagedMergeTest {
  private static final int END = 1_000;

  /** A row: its number and the lists that it is in. */
  private record Row(int number, String lists) {
    Row and(Row other) {
      return new Row(number, lists + other.lists);
    }
  }

  private static final Order<Integer, Row> ORDER =
      new Order<>(Row::number, row -> row.number + 1, Row::and, row -> row.number % 7 != 0, END);

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private int fetches;

  /** A list that responds when the tasks run. */
  private Source<Integer, Row> source(String name, TreeSet<Integer> numbers, Random random) {
    return (from, max) -> {
      fetches++;
      assertThat(max).isBetween(1, PagedMerge.MAX_PAGE);
      List<Integer> rest = new ArrayList<>(numbers.tailSet(from));
      int atLeast = rest.contains(from) ? 1 : 0;
      int size = Math.min(rest.size(), Math.max(atLeast, random.nextInt(Math.min(max, 9) + 1)));
      List<Row> rows = rest.subList(0, size).stream().map(n -> new Row(n, name)).toList();
      int last = size == 0 ? from : rest.get(size - 1) + 1;
      int limit = size == rest.size() ? END : rest.get(size);
      // Anywhere up to the next row, but further than the page started.
      int next = Math.max(last, limit - random.nextInt(limit - last + 1));
      int progress = next == from ? limit : next;
      Page<Integer, Row> page = new Page<>(rows, progress);
      CompletableFuture<Supplier<Page<Integer, Row>>> response = new CompletableFuture<>();
      if (random.nextInt(3) == 0) {
        response.complete(() -> page);
      } else {
        tasks.add(() -> response.complete(() -> page));
      }
      return response;
    };
  }

  private Merged<Integer, Row> merge(
      List<Source<Integer, Row>> sources, int from, int limit, Random random, int maxFetches) {
    fetches = 0;
    CompletableFuture<Merged<Integer, Row>> merged =
        new PagedMerge<>(sources, ORDER, from, limit, () -> fetches >= maxFetches, tasks::add)
            .run();
    while (!merged.isDone()) {
      List<Runnable> waiting = new ArrayList<>(tasks);
      Runnable next = waiting.get(random.nextInt(waiting.size()));
      tasks.remove(next);
      next.run();
    }
    return merged.join();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1_000_000})
  void shouldMergeLikeTheModel(int maxFetches) {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      TreeMap<Integer, Row> model = new TreeMap<>();
      List<Source<Integer, Row>> sources = new ArrayList<>();
      int lists = 1 + random.nextInt(4);
      int range = 1 + random.nextInt(END - 1);
      for (int list = 0; list < lists; list++) {
        String name = String.valueOf((char) ('a' + list));
        TreeSet<Integer> numbers = new TreeSet<>();
        for (int i = random.nextInt(40); i > 0; i--) {
          numbers.add(random.nextInt(range));
        }
        numbers.forEach(number -> model.merge(number, new Row(number, name), Row::and));
        sources.add(source(name, numbers, random));
      }
      model.values().removeIf(row -> !ORDER.accepts().test(row));
      List<Row> found = new ArrayList<>();
      Integer from = 0;
      while (from != null) {
        int limit = 1 + random.nextInt(20);
        Merged<Integer, Row> merged = merge(sources, from, limit, random, maxFetches);
        assertThat(merged.rows()).as("seed %d", seed).hasSizeLessThanOrEqualTo(limit);
        if (merged.complete() && merged.next() != null) {
          assertThat(merged.rows()).hasSize(limit);
        }
        assertThat(merged.complete() || maxFetches < 1_000_000).isTrue();
        if (merged.next() != null) {
          assertThat(merged.next()).isGreaterThan(from);
        }
        found.addAll(merged.rows());
        from = merged.next();
      }
      assertThat(found).as("seed %d", seed).containsExactlyElementsOf(model.values());
    }
  }

  @Test
  void shouldEndAtOnceWithoutLists() {
    Merged<Integer, Row> merged = merge(List.of(), 0, 10, new Random(1), 10);
    assertThat(merged.rows()).isEmpty();
    assertThat(merged.next()).isNull();
    assertThat(merged.complete()).isTrue();
  }
}
