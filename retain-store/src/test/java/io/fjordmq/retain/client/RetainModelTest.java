package io.fjordmq.retain.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.RetainStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Random puts, clears, crashes and matches, against a map and {@link TopicFilter#matches}. */
class RetainModelTest {
  private static final List<String> LEVELS = List.of("a", "b", "a!", "", "$x", "ü");
  private static final List<String> PATTERN_LEVELS = List.of("a", "b", "a!", "", "$x", "+", "+");

  private enum Kind {
    PUT,
    CLEAR,
    CRASH,
    RESTART
  }

  private record Step(Kind kind, String tenant, String topic, String payload) {}

  @Property(tries = 300)
  void shouldMatchLikeAMap(
      @ForAll("steps") List<Step> steps,
      @ForAll("patterns") List<String> patterns,
      @ForAll @IntRange(min = 1, max = 5) int ranges,
      @ForAll @IntRange(min = 1, max = 4) int pageSize,
      @ForAll("indexBytes") long indexBytes) {
    Map<String, String> model = new TreeMap<>();
    try (RetainFixture fixture =
        new RetainFixture(new RetainSettings(ranges, Long.MAX_VALUE, indexBytes))) {
      for (Step step : steps) {
        apply(step, fixture, model);
      }
      assertThat(fixture.store().count()).isEqualTo(model.size());
      for (String pattern : patterns) {
        for (String tenant : List.of("", "t")) {
          assertThat(fixture.match(tenant, pattern, pageSize))
              .as(pattern + " of tenant '" + tenant + "'")
              .containsExactlyInAnyOrderElementsOf(expected(model, tenant, pattern));
        }
      }
    }
  }

  private static void apply(Step step, RetainFixture fixture, Map<String, String> model) {
    String key = step.tenant + "|" + step.topic;
    switch (step.kind) {
      case PUT -> {
        assertThat(fixture.put(step.tenant, step.topic, step.payload))
            .isEqualTo(RetainStore.PutOutcome.RETAINED);
        model.put(key, step.payload);
      }
      case CLEAR -> {
        assertThat(fixture.put(step.tenant, step.topic, ""))
            .isEqualTo(RetainStore.PutOutcome.CLEARED);
        model.remove(key);
      }
      case CRASH -> fixture.crash();
      case RESTART -> fixture.restart();
    }
  }

  private static List<String> expected(Map<String, String> model, String tenant, String pattern) {
    TopicFilter filter = TopicFilter.parse(pattern);
    return model.entrySet().stream()
        .filter(e -> e.getKey().startsWith(tenant + "|"))
        .map(e -> Map.entry(e.getKey().substring(tenant.length() + 1), e.getValue()))
        .filter(e -> filter.matches(new Topic(e.getKey())))
        .map(e -> e.getKey() + "=" + e.getValue())
        .toList();
  }

  /** Memory limits of the index: zero, a limit soon reached, and a limit never reached. */
  @Provide
  Arbitrary<Long> indexBytes() {
    return Arbitraries.of(0L, 1_500L, 1L << 20);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            net.jqwik.api.Tuple.of(10, Kind.PUT),
            net.jqwik.api.Tuple.of(4, Kind.CLEAR),
            net.jqwik.api.Tuple.of(1, Kind.CRASH),
            net.jqwik.api.Tuple.of(1, Kind.RESTART));
    Arbitrary<String> topics =
        Arbitraries.of(LEVELS)
            .list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(levels -> String.join("/", levels))
            .filter(topic -> !topic.isEmpty());
    return Combinators.combine(
            kinds, Arbitraries.of("", "t"), topics, Arbitraries.of("1", "2", "3"))
        .as(Step::new)
        .list()
        .ofMaxSize(25);
  }

  @Provide
  Arbitrary<List<String>> patterns() {
    return Combinators.combine(
            Arbitraries.of(PATTERN_LEVELS).list().ofMinSize(1).ofMaxSize(3),
            Arbitraries.of(true, false))
        .as((levels, hash) -> String.join("/", levels) + (hash ? "/#" : ""))
        .filter(pattern -> !pattern.isEmpty())
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .map(
            some -> {
              List<String> all = new java.util.ArrayList<>(some);
              all.add("#");
              return all;
            });
  }
}
