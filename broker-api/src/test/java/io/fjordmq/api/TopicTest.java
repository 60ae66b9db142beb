package io.fjordmq.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: every {@code Topic} is a valid topic name (MQTT 5.0 §4.7, §1.5.4), and the exception for an
 * invalid one explains why.
 */
class TopicTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "/", "//", " ", "a b", "$", "$SYS/x", "a/$b", "ä/\uD83D\uDE00", "a//b"})
  void shouldAcceptValidNames(String name) {
    assertThat(new Topic(name).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({"'', empty", "a/+, +", "a#, #", "#, #"})
  void shouldExplainWhyANameIsInvalid(String name, String reason) {
    assertThatThrownBy(() -> new Topic(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("topic name")
        .hasMessageContaining(reason);
  }

  @Property(tries = 3_000)
  void shouldAcceptExactlyTextWithoutWildcards(@ForAll("texts") String text) {
    boolean valid =
        !text.isEmpty()
            && text.codePoints()
                .noneMatch(c -> c == '+' || c == '#' || c == 0 || (c >= 0xD800 && c <= 0xDFFF));
    boolean accepted = true;
    try {
      new Topic(text);
    } catch (IllegalArgumentException e) {
      accepted = false;
    }
    assertThat(accepted).isEqualTo(valid);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.of("a", "/", "$", "+", "#", "\0", "ä", "\uD83D\uDE00", "\uD800", "\uDC00")
        .list()
        .ofMaxSize(5)
        .map(parts -> String.join("", parts));
  }

  @Test
  void shouldRecognizeReservedTopics() {
    assertThat(new Topic("$SYS/x").isReserved()).isTrue();
    assertThat(new Topic("a/$SYS").isReserved()).isFalse();
  }

  @Test
  void shouldRecognizeTopicsOfTheBroker() {
    assertThat(new Topic("$SYS").isSysTopic()).isTrue();
    assertThat(new Topic("$SYS/broker/uptime").isSysTopic()).isTrue();
    assertThat(new Topic("$SYSTEM/x").isSysTopic()).isFalse();
    assertThat(new Topic("$share/x").isSysTopic()).isFalse();
    assertThat(new Topic("a/$SYS/x").isSysTopic()).isFalse();
  }

  @Test
  void shouldCountBytesAndNotCharactersWhenANameIsLong() {
    assertThat(new Topic("€".repeat(21_845)).name()).hasSize(21_845);
    assertThat(new Topic("a".repeat(65_535)).name()).hasSize(65_535);
    assertThatThrownBy(() -> new Topic("a".repeat(65_536)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65535");
    assertThatThrownBy(() -> new Topic("€".repeat(21_845) + "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65535");
  }
}
