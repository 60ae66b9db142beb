package io.fjordmq.api;

import java.nio.charset.StandardCharsets;

/**
 * The topic name of a PUBLISH: 1 to 65,535 bytes of UTF-8 without wildcards and U+0000 (MQTT 5.0
 * §1.5.4, §4.7).
 *
 * @param name the full name, e.g. {@code site/1/temperature}
 * @since 0.1.0
 */
public record Topic(String name) {
  /** Maximum length of a topic name or topic filter, in bytes of UTF-8. */
  public static final int MAX_BYTES = 65_535;

  private static final String SYS = "$SYS";

  /**
   * Validates the name.
   *
   * @throws IllegalArgumentException if the name is not a valid topic name; the message explains
   *     why
   */
  public Topic {
    String error = errorIn(name);
    if (error != null) {
      throw new IllegalArgumentException("topic name " + error);
    }
  }

  /**
   * Returns true if the name begins with {@code $}. Filters that begin with a wildcard do not match
   * such topics (MQTT 5.0 §4.7.2).
   */
  public boolean isReserved() {
    return name.charAt(0) == '$';
  }

  /** Returns true if only the broker may publish to the topic: {@code $SYS} and all below it. */
  public boolean isSysTopic() {
    return name.startsWith(SYS)
        && (name.length() == SYS.length() || name.charAt(SYS.length()) == '/');
  }

  private static @org.jspecify.annotations.Nullable String errorIn(String name) {
    if (name.isEmpty()) {
      return "is empty";
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '+' || c == '#') {
        return "contains the wildcard '" + c + "'";
      }
      if (c == 0) {
        return "contains U+0000";
      }
      if (isUnpairedSurrogate(name, i)) {
        return "contains an unpaired surrogate";
      }
    }
    return tooLong(name) ? "is longer than " + MAX_BYTES + " bytes" : null;
  }

  /**
   * Returns true if the character at this index is an unpaired surrogate. Such text has no UTF-8
   * encoding (MQTT 5.0 §1.5.4); storing it would change it.
   */
  static boolean isUnpairedSurrogate(String text, int i) {
    char c = text.charAt(i);
    if (!Character.isSurrogate(c)) {
      return false;
    }
    return Character.isHighSurrogate(c)
        ? i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))
        : i == 0 || !Character.isHighSurrogate(text.charAt(i - 1));
  }

  static boolean tooLong(String text) {
    // A char takes at most three bytes of UTF-8, so only long strings need counting.
    return text.length() > MAX_BYTES / 3
        && text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES;
  }

  @Override
  public String toString() {
    return name;
  }
}
