package io.fjordmq.broker.rest;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.query.CursorText;
import io.fjordmq.broker.query.Cursors;
import io.fjordmq.broker.userdb.TopicRule;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A rule for texts whose error message describes it in words instead of showing a regular
 * expression. The rules for topics also limit bytes and reject unpaired surrogates, which no
 * pattern can express.
 */
public enum TextRule {
  /** Any text. */
  ANY(""),
  /** A text that MQTT can carry. */
  WITHOUT_NUL("[^\\u0000]*"),
  /** The tenant of a ban. */
  TENANT_OF_BAN("[^\\u0000-\\u001f\\u007f-\\u009f]{0,256}"),
  /** A topic name. */
  TOPIC("[^+#\\u0000]+"),
  /** The name of a topic that callers may publish to. */
  TOPIC_FOR_PUBLISH("(?!\\$SYS(?![^/]))[^+#\\u0000]+"),
  /** A topic filter, which may be shared. */
  TOPIC_FILTER(
      "(?!\\$share/)"
          + TextRule.UNSHARED_FILTER
          + "|\\$share/[^+#/\\u0000]+/"
          + TextRule.UNSHARED_FILTER),
  /** The topic of a rule, which can contain placeholders. */
  RULE_TOPIC("(?!\\$share/)" + TextRule.UNSHARED_FILTER),
  /** The name of an MQTT user or group. */
  MQTT_NAME("[^\\u0000-\\u001f\\u007f-\\u009f]{1,120}"),
  /** The name or value of an attribute of an MQTT user. */
  ATTRIBUTE("[^\\u0000-\\u001f\\u007f-\\u009f]{1,256}"),
  /** Where a page of a list of sessions or subscriptions starts. */
  SESSION_CURSOR(Cursors.PATTERN),
  /** Where a page of another list starts; see {@link CursorText}. */
  CURSOR("[A-Za-z0-9_-]{2,}");

  private static final int MAX_NAME_BYTES = 120;

  private static final String UNSHARED_FILTER =
      "(?:(?:(?:\\+|[^+#/\\u0000]*)/)+(?:\\+|#|[^+#/\\u0000]*)|\\+|#|[^+#/\\u0000]+)";

  private final String pattern;

  TextRule(String pattern) {
    this.pattern = pattern;
  }

  /** A regular expression for the whole text; empty for any text. */
  String pattern() {
    return pattern;
  }

  /** Explains why a text breaks the rule, to follow the name of its field; empty if it does not. */
  Optional<String> fault(String text) {
    try {
      return switch (this) {
        case ANY -> Optional.empty();
        case WITHOUT_NUL ->
            text.indexOf(0) < 0 ? Optional.empty() : Optional.of("must not contain U+0000");
        case TENANT_OF_BAN ->
            Pattern.matches(pattern, text)
                ? Optional.empty()
                : Optional.of("must have at most 256 characters and no line breaks");
        case TOPIC -> {
          new Topic(text);
          yield Optional.empty();
        }
        case TOPIC_FOR_PUBLISH ->
            isOfBroker(new Topic(text))
                ? Optional.of("only the broker may publish to $SYS")
                : Optional.empty();
        case TOPIC_FILTER -> {
          TopicFilter.parse(text);
          yield Optional.empty();
        }
        case RULE_TOPIC -> TopicRule.topicFault(text);
        case MQTT_NAME ->
            Pattern.matches(pattern, text)
                    && text.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES
                ? Optional.empty()
                : Optional.of("must have 1 to 120 bytes in UTF-8, and no control characters");
        case ATTRIBUTE ->
            Pattern.matches(pattern, text)
                ? Optional.empty()
                : Optional.of("must have 1 to 256 characters, and no control characters");
        case SESSION_CURSOR, CURSOR ->
            Pattern.matches(pattern, text)
                ? Optional.empty()
                : Optional.of("not valid; use meta.cursor of the previous page");
      };
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static boolean isOfBroker(Topic topic) {
    return topic.name().equals("$SYS") || topic.name().startsWith("$SYS/");
  }
}
