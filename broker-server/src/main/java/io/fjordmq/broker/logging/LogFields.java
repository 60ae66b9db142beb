package io.fjordmq.broker.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/** The {@code key=value} pairs of a log line. */
public final class LogFields {
  private static final String PLACEHOLDER = "{}";

  private LogFields() {}

  /**
   * Passes each pair to a callback: those in the text, which end with a placeholder, and those that
   * the event has in addition.
   *
   * @param field receives each key and its value, of any type; receives the quoted text of a {@link
   *     QuotedText}
   */
  public static void forEach(ILoggingEvent event, BiConsumer<String, @Nullable Object> field) {
    Object[] arguments = event.getArgumentArray();
    String pattern = event.getMessage();
    if (arguments != null && pattern != null) {
      forEachPlaceholder(pattern, arguments, field);
    }
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      pairs.forEach(pair -> field.accept(pair.key, raw(pair.value)));
    }
    event.getMDCPropertyMap().forEach(field);
  }

  private static void forEachPlaceholder(
      String pattern, Object[] arguments, BiConsumer<String, @Nullable Object> field) {
    int argument = 0;
    int at = pattern.indexOf(PLACEHOLDER);
    while (at >= 0 && argument < arguments.length) {
      String key = at > 0 && pattern.charAt(at - 1) == '=' ? keyBefore(pattern, at - 1) : "";
      if (!key.isEmpty()) {
        field.accept(key, raw(arguments[argument]));
      }
      argument++;
      at = pattern.indexOf(PLACEHOLDER, at + PLACEHOLDER.length());
    }
  }

  /** Returns the word that ends before this position. */
  private static String keyBefore(String pattern, int end) {
    int start = end;
    while (start > 0 && Character.isLetterOrDigit(pattern.charAt(start - 1))) {
      start--;
    }
    return pattern.substring(start, end);
  }

  private static @Nullable Object raw(@Nullable Object value) {
    return value instanceof QuotedText quoted ? quoted.raw() : value;
  }
}
