package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules for texts: their patterns, which callers read, and their checks. */
class TextRuleTest {
  private static final String[] PARTS = {
    "a", "/", "+", "#", "\0", "$share/", "$SYS", "g/", "\n", "é", "😀", "A-", "_", ".", "12"
  };

  @ParameterizedTest
  @EnumSource(TextRule.class)
  void shouldAcceptWhatThePatternMatches(TextRule rule) {
    Random random = new Random(1);
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int part = random.nextInt(8); part > 0; part--) {
        text.append(PARTS[random.nextInt(PARTS.length)]);
      }
      boolean matches = rule == TextRule.ANY || Pattern.matches(rule.pattern(), text);
      assertThat(rule.fault(text.toString()).isEmpty()).as("'%s'", text).isEqualTo(matches);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TOPIC             | ''       | topic name is empty",
        "TOPIC             | a/+      | topic name contains the wildcard '+'",
        "TOPIC_FOR_PUBLISH | $SYS/a   | only the broker may publish to $SYS",
        "TOPIC_FILTER      | ''       | topic filter is empty",
        "TOPIC_FILTER      | a+       | '+' must occupy an entire level of the topic filter",
        "TOPIC_FILTER      | $share/a | shared topic filter must be $share/<name>/<filter>",
        "CURSOR            | a.b      | not valid; use meta.cursor of the previous page",
        "SESSION_CURSOR    | nonsense | not valid; use meta.cursor of the previous page"
      })
  void shouldExplainFaults(TextRule rule, String text, String fault) {
    assertThat(rule.fault(text).orElseThrow()).startsWith(fault.replace("''", "'"));
  }

  @Test
  void shouldAcceptFiltersOfManyLevels() {
    assertThat(TextRule.TOPIC_FILTER.fault("a/".repeat(30_000))).isEmpty();
  }
}
