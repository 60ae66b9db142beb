package io.fjordmq.broker.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses and prints values in the notation of the configuration file, such as {@code 8899}, {@code
 * 64 MiB}, {@code 10 s}, {@code true} or a word.
 */
final class ValueText {
  private static final Pattern NUMBER = Pattern.compile("(-?[0-9][0-9_]*) *([a-zA-Z]*)");
  private static final Map<String, Long> SIZES =
      Map.of("", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private ValueText() {}

  /** Whether a key can have a value of this type. */
  static boolean isSupported(Class<?> type) {
    return type == String.class
        || type == int.class
        || type == long.class
        || type == boolean.class
        || type == Duration.class
        || type == List.class
        || type.isEnum();
  }

  /**
   * Parses the value of a key.
   *
   * @param key its name; the message for a number suggests sizes only if the key is one
   * @throws IllegalArgumentException if the text is not a valid value of that type; the message
   *     says what is allowed
   */
  static Object parse(String text, Class<?> type, String key) {
    boolean isNumber = type == int.class || type == long.class;
    boolean isSize =
        key.substring(key.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT).contains("bytes");
    if (isNumber && !isSize && !NUMBER.matcher(text).matches()) {
      throw new IllegalArgumentException("must be a whole number, not '" + text + "'");
    }
    return parse(text, type);
  }

  /**
   * Parses a value.
   *
   * @throws IllegalArgumentException if the text is not a valid value of that type; the message
   *     says what is allowed
   */
  static Object parse(String text, Class<?> type) {
    if (type == String.class) {
      return text;
    }
    if (type == List.class) {
      return Arrays.stream(text.split(",", -1))
          .map(String::strip)
          .filter(s -> !s.isEmpty())
          .toList();
    }
    if (type == boolean.class) {
      return parseBoolean(text);
    }
    if (type == Duration.class) {
      return Duration.ofMillis(
          scaled(text, MILLIS, "a duration such as 500 ms, 10 s, 5 min or 2 h"));
    }
    if (type.isEnum()) {
      return parseEnum(text, type);
    }
    long number = scaled(text, SIZES, "a whole number, or a size such as 64 KiB, 16 MiB or 1 GiB");
    if (type == long.class) {
      return number;
    }
    if (number != (int) number) {
      throw new IllegalArgumentException("must be between -2147483648 and 2147483647, not " + text);
    }
    return (int) number;
  }

  /** Formats a value in the notation of the configuration file. */
  static String print(Object value) {
    if (value instanceof Duration time) {
      long millis = time.toMillis();
      return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }
    if (value instanceof List<?> list) {
      return String.join(",", list.stream().map(Object::toString).toList());
    }
    if (value instanceof Enum<?> word) {
      return word.name().toLowerCase(Locale.ROOT);
    }
    return value.toString();
  }

  private static boolean parseBoolean(String text) {
    if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
      return Boolean.parseBoolean(text);
    }
    throw new IllegalArgumentException("must be true or false, not '" + text + "'");
  }

  private static Object parseEnum(String text, Class<?> type) {
    Object[] words = type.getEnumConstants();
    for (Object word : words) {
      if (word.toString().equalsIgnoreCase(text.replace('-', '_'))) {
        return word;
      }
    }
    String list = String.join(", ", Arrays.stream(words).map(ValueText::print).toList());
    throw new IllegalArgumentException("must be one of " + list + ", not '" + text + "'");
  }

  private static long scaled(String text, Map<String, Long> units, String expected) {
    Matcher matcher = NUMBER.matcher(text);
    Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException("must be " + expected + ", not '" + text + "'");
    }
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1).replace("_", "")), unit);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new IllegalArgumentException("is out of range: " + text, e);
    }
  }
}
