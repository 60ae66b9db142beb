package io.fjordmq.broker.rest;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A parameter in the path or the query of a request. Immutable. */
public final class Parameter {
  private static final Pattern WITH_ZEROS = Pattern.compile("^(-?[0-9]+)\\.0+$");
  private static final Pattern DIGITS = Pattern.compile("-?[0-9]{1,18}");

  /** The last millisecond of the year 9999. */
  static final long MAX_MILLIS = 253_402_300_799_999L;

  private final String name;
  private final String description;
  private final Schema schema;
  private final boolean repeatable;
  private final boolean required;
  private final @Nullable Object fallback;
  private final String example;

  private Parameter(
      String name,
      String description,
      Schema schema,
      boolean repeatable,
      boolean required,
      @Nullable Object fallback,
      String example) {
    this.name = name;
    this.description = description;
    this.schema = schema;
    this.repeatable = repeatable;
    this.required = required;
    this.fallback = fallback;
    this.example = example;
  }

  private static Parameter of(String name, String description, Schema schema) {
    return new Parameter(name, description, schema, false, false, null, "");
  }

  /** A string; see {@link Request#text}. */
  public static Parameter text(String name, String description) {
    return of(name, description, Schema.Text.ANY);
  }

  /**
   * A string that matches a regular expression.
   *
   * @param maxLength the maximum number of Unicode characters
   */
  public static Parameter text(String name, String description, String pattern, int maxLength) {
    return of(name, description, new Schema.Text(0, maxLength, pattern));
  }

  /** A string that obeys a rule. */
  public static Parameter text(String name, String description, TextRule rule) {
    return of(name, description, new Schema.Ruled(rule));
  }

  /** A whole number; see {@link Request#number}. */
  public static Parameter number(String name, String description, int min, int max) {
    return of(name, description, new Schema.Whole(min, max));
  }

  /** True or false; see {@link Request#flag}. */
  public static Parameter flag(String name, String description) {
    return of(name, description, new Schema.Flag());
  }

  /** One of several words; see {@link Request#text}. */
  public static Parameter choice(String name, String description, List<String> words) {
    return of(name, description, new Schema.Choice(List.copyOf(words)));
  }

  /** Some of several words, separated by commas; see {@link Request#text}. */
  static Parameter words(String name, String description, List<String> words) {
    return of(name, description, new Schema.Words(List.copyOf(words)));
  }

  /** A time: RFC 3339, or milliseconds since 1970; see {@link Request#time}. */
  public static Parameter time(String name, String description) {
    return of(name, description, new Schema.Time());
  }

  /** The same parameter with a default value. */
  public Parameter orElse(Object value) {
    return new Parameter(name, description, schema, repeatable, false, value, example);
  }

  /** The same parameter, which may occur several times; see {@link Request#texts}. */
  public Parameter repeatable() {
    return new Parameter(name, description, schema, true, required, null, example);
  }

  /** The same parameter, required in every request. */
  public Parameter mandatory() {
    return new Parameter(name, description, schema, repeatable, true, null, example);
  }

  /** The same parameter with an example for the documentation. */
  public Parameter example(String value) {
    return new Parameter(name, description, schema, repeatable, required, fallback, value);
  }

  /**
   * Parses a value.
   *
   * @throws ApiException 400 if the value is invalid
   */
  Object parse(String text) {
    if (schema instanceof Schema.Text limits) {
      return checked(text, limits);
    }
    if (schema instanceof Schema.Ruled ruled) {
      ruled
          .rule()
          .fault(text)
          .ifPresent(
              fault -> {
                throw ApiException.badRequest(name + ": " + fault);
              });
      return text;
    }
    if (schema instanceof Schema.Whole range) {
      return number(text, range);
    }
    if (schema instanceof Schema.Choice choice) {
      if (!choice.words().contains(text)) {
        throw invalid("one of " + String.join(", ", choice.words()), text);
      }
      return text;
    }
    if (schema instanceof Schema.Words some) {
      for (String word : text.split(",", -1)) {
        if (!some.words().contains(word)) {
          throw ApiException.badRequest(
              "%s: unknown word '%s'%s"
                  .formatted(name, Excerpt.of(word), NearestName.hint(word, some.words())));
        }
      }
      return text;
    }
    if (schema instanceof Schema.Time) {
      return time(text);
    }
    if (!text.equals("true") && !text.equals("false")) {
      throw invalid("true or false", text);
    }
    return Boolean.valueOf(text);
  }

  private String checked(String text, Schema.Text limits) {
    int length = text.codePointCount(0, text.length());
    if (length > limits.maxLength()) {
      throw ApiException.badRequest(
          "%s must have at most %d characters, not %d".formatted(name, limits.maxLength(), length));
    }
    if (!limits.pattern().isEmpty() && !Pattern.matches(limits.pattern(), text)) {
      throw invalid("a string that matches " + limits.pattern(), text);
    }
    return text;
  }

  private Integer number(String text, Schema.Whole range) {
    String digits = WITH_ZEROS.matcher(text).replaceFirst("$1"); // in JSON Schema, 1.0 is whole
    long value = DIGITS.matcher(digits).matches() ? Long.parseLong(digits) : Long.MIN_VALUE;
    if (value < range.min() || value > range.max()) {
      throw invalid("a whole number from %d to %d".formatted(range.min(), range.max()), text);
    }
    return (int) value;
  }

  private Instant time(String text) {
    try {
      boolean isNumber = DIGITS.matcher(text).matches();
      long millis = isNumber ? Long.parseLong(text) : Rfc3339.parse(text).toEpochMilli();
      if (millis <= MAX_MILLIS && !(isNumber && millis < 0)) {
        return Instant.ofEpochMilli(millis);
      }
    } catch (DateTimeException e) {
      // reported below
    }
    throw invalid(
        "a time such as 2026-01-31T12:00:00Z, or a number of milliseconds since 1970", text);
  }

  private ApiException invalid(String expected, String found) {
    return ApiException.badRequest(
        "%s must be %s, not '%s'".formatted(name, expected, Excerpt.of(found)));
  }

  String name() {
    return name;
  }

  String description() {
    return description;
  }

  Schema schema() {
    return schema;
  }

  boolean isRepeatable() {
    return repeatable;
  }

  boolean isRequired() {
    return required;
  }

  /** The default value; null for none. */
  @Nullable Object fallback() {
    return fallback;
  }

  /** An example; empty for none. */
  String example() {
    return example;
  }
}
