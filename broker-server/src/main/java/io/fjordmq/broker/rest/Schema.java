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

  /** One of several types. */
  record AnyOf(List<Schema> types) implements Schema {}

  /** A list. */
  record Items(Schema element, int minLength, int maxLength) implements Schema {}

  /** An object whose member names the caller chooses; if values are texts, names are alike. */
  record Entries(Schema value) implements Schema {}

  /** An object that is a record in Java. */
  record Structure(Class<? extends Record> type, List<Member> members) implements Schema {
    /** The name in the OpenAPI description. */
    String name() {
      return type.getSimpleName();
    }
  }

  /**
   * A member of a structure.
   *
   * @param example an example; empty for none
   */
  record Member(String name, String description, boolean required, String example, Schema schema) {}
}
