package io.fjordmq.broker.rest;

import java.util.List;

/** The type of a JSON value, with its limits. Immutable. */
sealed interface Schema {
  /**
   * A string.
   *
   * @param minLength the minimum number of Unicode characters
   * @param maxLength the maximum number of Unicode characters
   * @param pattern what the whole text must match; empty for anything
   */
  record Text(int minLength, int maxLength, String pattern) implements Schema {
    static final Text ANY = new Text(0, Integer.MAX_VALUE, "");
  }

  /** A string that obeys a rule. */
  record Ruled(TextRule rule) implements Schema {}

  /**
   * A string, number or boolean that is read as text.
   *
   * @param maxLength the maximum number of Unicode characters of a string
   */
  record Scalar(int maxLength) implements Schema {}

  /** A time as in RFC 3339. */
  record Time() implements Schema {}

  /** A time as in RFC 3339, or one word. */
  record TimeOrWord(String word) implements Schema {}

  /** A whole number. */
  record Whole(long min, long max) implements Schema {}

  /** A number that may have a fraction. */
  record Decimal() implements Schema {}

  /** True or false. */
  record Flag() implements Schema {}

  /** One of several words. */
  record Choice(List<String> words) implements Schema {}

  /** Some of several words, separated by commas. */
  record Words(List<String> words) implements Schema {}

  /** One of several types. */
  record AnyOf(List<Schema> types) implements Schema {}

  /** A list. */
  record Items(Schema element, int minLength, int maxLength) implements Schema {}

  /**
   * An object with member names chosen by the caller. If the values are strings, their limits also
   * apply to the names.
   */
  record Entries(Schema value) implements Schema {}

  /** An object that is a record in Java. */
  record Structure(Class<? extends Record> type, List<Member> members) implements Schema {
    /** The name in the OpenAPI description. */
    String name() {
      return type.getSimpleName();
    }
  }

  /** An object that has some members of a record. */
  record Partial(Structure whole) implements Schema {}

  /**
   * A member of a structure.
   *
   * @param example an example; empty for none
   */
  record Member(String name, String description, boolean required, String example, Schema schema) {}
}
