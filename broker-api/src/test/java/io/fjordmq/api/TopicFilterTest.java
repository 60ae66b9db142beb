package io.fjordmq.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: topic filters are validated and matched as MQTT 5.0 §4.7 and §4.8.2 specify. The oracle is
 * a second implementation that splits filter and topic into levels and follows the specification
 * literally.
 */
class TopicFilterTest {

  @ParameterizedTest
  @CsvSource({
    "sport/tennis/player1/#, sport/tennis/player1, true",
    "sport/tennis/player1/#, sport/tennis/player1/ranking, true",
    "sport/tennis/player1/#, sport/tennis/player1/score/wimbledon, true",
    "sport/#, sport, true",
    "#, a/b/c, true",
    "sport/tennis/+, sport/tennis/player1, true",
    "sport/tennis/+, sport/tennis/player1/ranking, false",
    "sport/+, sport, false",
    "sport/+, sport/, true",
    "+, finance, true",
    "+, /finance, false",
    "+/+, /finance, true",
    "/+, /finance, true",
    "#, $SYS/uptime, false",
    "+/monitor/Clients, $SYS/monitor/Clients, false",
    "$SYS/#, $SYS/uptime, true",
    "$SYS/monitor/+, $SYS/monitor/Clients, true",
    "a/+, a/$x, true",
    "ACCOUNTS, Accounts, false",
    "/finance, finance, false",
    "+/#, a, true",
    "/#, /, true",
    "a, a/, false",
  })
  void shouldMatchTheExamplesOfTheSpecification(String filter, String topic, boolean matches) {
    assertThat(TopicFilter.parse(filter).matches(new Topic(topic))).isEqualTo(matches);
    assertThat(TopicFilter.parse("$share/s/" + filter).matches(new Topic(topic)))
        .as("the share name does not affect the match")
        .isEqualTo(matches);
  }

  @Property(tries = 5_000)
  void shouldMatchLikeTheSpecification(
      @ForAll("filters") String filter, @ForAll("topics") String topic) {
    assertThat(TopicFilter.parse(filter).matches(new Topic(topic)))
        .as("%s matches %s", filter, topic)
        .isEqualTo(Oracle.matches(filter, topic));
  }

  @Property(tries = 5_000)
  void shouldAcceptExactlyTheValidFilters(@ForAll("texts") String text) {
    String error = null;
    TopicFilter parsed = null;
    try {
      parsed = TopicFilter.parse(text);
    } catch (IllegalArgumentException e) {
      error = e.getMessage();
    }
    assertThat(parsed != null).as("%s: %s", text, error).isEqualTo(Oracle.isValid(text));
    if (parsed != null) {
      assertThat(parsed.text()).isEqualTo(text);
      assertThat(parsed.isShared()).isEqualTo(Oracle.isShared(text));
      assertThat(parsed.hasWildcard())
          .isEqualTo(Oracle.levels(parsed.pattern()).stream().anyMatch(l -> l.matches("[+#]")));
      String share = parsed.shareName();
      assertThat(share == null ? parsed.pattern() : "$share/" + share + "/" + parsed.pattern())
          .isEqualTo(text);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a#",
        "#/a",
        "a/#/b",
        "a+",
        "+a",
        "a/b+/c",
        "##",
        "++",
        "a\0b",
        "$share/",
        "$share/g",
        "$share/g/",
        "$share//a",
        "$share/+/a",
        "$share/g#/a",
        "$share/g/a#",
        "\uD800",
        "a/\uDC00/b"
      })
  void shouldRejectInvalidFilters(String text) {
    assertThatThrownBy(() -> TopicFilter.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldSplitOffTheShareName() {
    assertThat(TopicFilter.parse("$share/group/site/+/t"))
        .isEqualTo(new TopicFilter("$share/group/site/+/t", "group", "site/+/t"));
    assertThat(TopicFilter.parse("$share/g//"))
        .as("a filter may consist of empty levels only")
        .isEqualTo(new TopicFilter("$share/g//", "g", "/"));
    assertThat(TopicFilter.parse("$share"))
        .as("no slash: an ordinary filter")
        .returns(false, TopicFilter::isShared);
    assertThat(TopicFilter.parse("$shared/g/a").isShared()).isFalse();
  }

  @Test
  void shouldCountBytesAndNotCharactersWhenAFilterIsLong() {
    String euro = "€"; // three bytes
    assertThat(TopicFilter.parse(euro.repeat(21_845)).text()).hasSize(21_845);
    assertThatThrownBy(() -> TopicFilter.parse(euro.repeat(21_845) + "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65535");
    String sharePrefix = "$share/g/";
    assertThat(TopicFilter.parse(sharePrefix + "a".repeat(65_535 - 9)).isShared()).isTrue();
    assertThatThrownBy(() -> TopicFilter.parse(sharePrefix + "a".repeat(65_535 - 8)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65535");
  }

  @Provide
  Arbitrary<String> topics() {
    return Arbitraries.of("a", "b", "ab", "", "$", "$a", "ä")
        .list()
        .ofMinSize(1)
        .ofMaxSize(5)
        .map(levels -> String.join("/", levels))
        .filter(topic -> !topic.isEmpty());
  }

  @Provide
  Arbitrary<String> filters() {
    Arbitrary<List<String>> levels =
        Arbitraries.of("a", "b", "ab", "", "$", "$a", "ä", "+", "+").list().ofMaxSize(5);
    return Combinators.combine(levels, Arbitraries.of("", "#"))
        .as(
            (l, last) ->
                last.isEmpty() || l.isEmpty()
                    ? String.join("/", l) + last
                    : String.join("/", l) + "/#")
        .filter(filter -> !filter.isEmpty());
  }

  /** Strings of characters that are significant in filters; valid or not. */
  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> rest =
        Arbitraries.of("/", "/", "+", "#", "a", "$", "\0", "ä", "\uD83D\uDE00", "\uD800", "\uDC00")
            .list()
            .ofMaxSize(8)
            .map(parts -> String.join("", parts));
    return Combinators.combine(Arbitraries.of("", "", "$share/", "$share/g/"), rest)
        .as(String::concat);
  }

  /** A literal implementation of the specification. */
  private static final class Oracle {
    static List<String> levels(String text) {
      return List.of(text.split("/", -1));
    }

    static boolean matches(String filter, String topic) {
      boolean wildcardFirst = filter.startsWith("+") || filter.startsWith("#");
      return !(topic.startsWith("$") && wildcardFirst) && matches(levels(filter), levels(topic));
    }

    private static boolean matches(List<String> filter, List<String> topic) {
      if (filter.equals(List.of("#"))) {
        return true; // the level itself, its parent, and any number of child levels
      }
      if (filter.isEmpty() || topic.isEmpty()) {
        return filter.isEmpty() && topic.isEmpty();
      }
      boolean levelMatches = filter.get(0).equals("+") || filter.get(0).equals(topic.get(0));
      return levelMatches
          && matches(filter.subList(1, filter.size()), topic.subList(1, topic.size()));
    }

    static boolean isShared(String text) {
      return text.startsWith("$share/");
    }

    static boolean isValid(String text) {
      if (!isShared(text)) {
        return isValidPattern(text);
      }
      List<String> levels = levels(text);
      return levels.size() >= 3
          && !levels.get(1).isEmpty()
          && !levels.get(1).contains("+")
          && !levels.get(1).contains("#")
          && isText(levels.get(1))
          && isValidPattern(String.join("/", levels.subList(2, levels.size())));
    }

    private static boolean isValidPattern(String pattern) {
      List<String> levels = levels(pattern);
      for (int i = 0; i < levels.size(); i++) {
        String level = levels.get(i);
        boolean hash = level.equals("#") && i == levels.size() - 1;
        boolean plain = !level.contains("+") && !level.contains("#");
        if (!hash && !level.equals("+") && !plain) {
          return false;
        }
      }
      return !pattern.isEmpty() && isText(pattern);
    }

    /** MQTT 5.0 §1.5.4: no U+0000, no unpaired surrogate. */
    private static boolean isText(String text) {
      return text.codePoints().noneMatch(c -> c == 0 || (c >= 0xD800 && c <= 0xDFFF));
    }
  }
}
