package io.fjordmq.broker.events;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parts of the messages of events. */
final class EventText {
  /** The greatest length of a text in an event, in characters. */
  static final int MAX_CHARS = 256;

  private static final String ELLIPSIS = "...";

  private EventText() {}

  /** Returns the text, or its beginning if it is too long to be kept. */
  static String shortened(String text) {
    if (text.length() <= MAX_CHARS) {
      return text;
    }
    int end = MAX_CHARS - ELLIPSIS.length();
    if (Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end) + ELLIPSIS;
  }

  /** Returns both texts with the separator between them, or the one that is not empty. */
  static String joined(String first, String separator, String second) {
    return first.isEmpty() || second.isEmpty() ? first + second : first + separator + second;
  }

  /** Returns the label of a reason as words: {@code not_authorized} as {@code not authorized}. */
  static String words(String label) {
    return label.replace('_', ' ');
  }

  /** Returns the reason with its MQTT 5 reason code, which is negative if there is none. */
  static String reason(String label, int reasonCode) {
    return reasonCode < 0
        ? words(label)
        : words(label) + String.format(Locale.ROOT, " (0x%02X)", reasonCode);
  }

  /** Returns {@code " (key=value)"}, or an empty string if there is no key. */
  static String limit(String key, long value) {
    if (key.isEmpty()) {
      return "";
    }
    return value < 0 ? " (" + key + ")" : " (" + key + "=" + value + ")";
  }

  /** Returns {@code user 'name'} or {@code the client}. */
  static String subject(@Nullable String userName) {
    return userName == null ? "the client" : "user '" + userName + "'";
  }

  /** Returns {@code verb object} or, if it happened several times, {@code verb object 3 times}. */
  static String times(String text, long count) {
    return count == 1 ? text : text + " " + count + " times";
  }
}
