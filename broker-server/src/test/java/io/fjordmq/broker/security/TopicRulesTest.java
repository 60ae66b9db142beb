package io.fjordmq.broker.security;

import static io.fjordmq.api.plugin.Permissions.Access.READ;
import static io.fjordmq.api.plugin.Permissions.Access.READ_WRITE;
import static io.fjordmq.api.plugin.Permissions.Access.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicRulesTest {
  private static final TopicRules RULES =
      new TopicRules(
          List.of(
              Rule.deny(READ_WRITE, "a/secret/#"),
              Rule.allow(READ, "a/#"),
              Rule.allow(READ, "+/open"),
              Rule.deny(READ, "b/#"),
              Rule.allow(READ_WRITE, "b/mine"),
              Rule.allow(WRITE, "w/#")));

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "a/b,          ALL",
    "a/b/#,        ALL",
    "a/#,          PARTIAL",
    "a/+/x,        PARTIAL",
    "a/secret,     DENIED",
    "a/secret/#,   DENIED",
    "c/open,       ALL",
    "+/open,       ALL",
    "+/+,          PARTIAL",
    "#,            PARTIAL",
    "b/mine,       DENIED",
    "b/+,          PARTIAL",
    "w/x,          NONE",
    "$SYS/#,       NONE"
  })
  void shouldReportHowMuchOfAFilterMayBeRead(String filter, TopicRules.Coverage coverage) {
    assertThat(RULES.readable(TopicFilter.parse(filter), Qos.AT_MOST_ONCE)).isEqualTo(coverage);
  }

  @Provide
  Arbitrary<String> filters() {
    Arbitrary<String> level = Arbitraries.of("", "a", "b", "+", "$a");
    return level
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .map(levels -> String.join("/", levels))
        .flatMap(text -> Arbitraries.of(text, text + "/#", "#"))
        .filter(text -> !text.isEmpty());
  }

  @Provide
  Arbitrary<String> topics() {
    return Arbitraries.of("", "a", "b", "c", "$a")
        .list()
        .ofMinSize(1)
        .ofMaxSize(5)
        .map(levels -> String.join("/", levels))
        .filter(text -> !text.isEmpty());
  }

  @Property(tries = 3_000)
  void shouldRelateFiltersConsistentlyWithTheirMatches(
      @ForAll("filters") String one, @ForAll("filters") String other, @ForAll("topics") String t) {
    Topic topic = new Topic(t);
    boolean matchesOne = TopicFilter.parse(one).matches(topic);
    boolean matchesOther = TopicFilter.parse(other).matches(topic);
    if (matchesOne && matchesOther) {
      assertThat(FilterRelations.overlap(one, other)).isTrue();
    }
    if (matchesOther && FilterRelations.covers(one, other)) {
      assertThat(matchesOne).isTrue();
    }
    if (FilterRelations.covers(one, other)) {
      assertThat(FilterRelations.overlap(one, other)).isTrue();
    }
    assertThat(FilterRelations.overlap(one, other)).isEqualTo(FilterRelations.overlap(other, one));
    assertThat(FilterRelations.covers(one, one)).isTrue();
  }
}
