package io.fjordmq.api;

import org.jspecify.annotations.Nullable;

/**
 * A topic filter of a SUBSCRIBE, split into share name and pattern (MQTT 5.0 §4.7, §4.8.2).
 *
 * @param text the filter as the client sent it, e.g. {@code $share/group/site/+/temperature}
 * @param shareName {@code group} above; null if the subscription is not shared
 * @param pattern the filter without its {@code $share} prefix, e.g. {@code site/+/temperature}
 * @since 0.1.0
 */
public record TopicFilter(String text, @Nullable String shareName, String pattern) {
  private static final String SHARE_PREFIX = "$share/";

  /**
   * Parses a topic filter.
   *
   * @throws IllegalArgumentException if it is not valid; the message explains why
   */
  public static TopicFilter parse(String text) {
    if (!text.startsWith(SHARE_PREFIX)) {
      requireValidPattern(text);
      return new TopicFilter(text, null, text);
    }
    int slash = text.indexOf('/', SHARE_PREFIX.length());
    String share = slash < 0 ? "" : text.substring(SHARE_PREFIX.length(), slash);
    if (share.isEmpty() || share.indexOf('+') >= 0 || share.indexOf('#') >= 0) {
      throw new IllegalArgumentException(
          "shared topic filter must be $share/<name>/<filter>, and the name must not be empty"
              + " or contain wildcards");
    }
    requireText(share);
    String pattern = text.substring(slash + 1);
    requireValidPattern(pattern);
    if (Topic.tooLong(text)) {
      throw new IllegalArgumentException("topic filter is longer than 65535 bytes");
    }
    return new TopicFilter(text, share, pattern);
  }

  /** Returns true if each matching message goes to only one member of the share. */
  public boolean isShared() {
    return shareName != null;
  }

  /** Returns true if the pattern contains {@code +} or {@code #}. */
  public boolean hasWildcard() {
    return pattern.indexOf('+') >= 0 || pattern.indexOf('#') >= 0;
  }

  /**
   * Returns true if the pattern matches the topic. A pattern that begins with a wildcard matches no
   * topic that begins with {@code $}.
   */
  public boolean matches(Topic topic) {
    String name = topic.name();
    if (topic.isReserved() && (pattern.charAt(0) == '+' || pattern.charAt(0) == '#')) {
      return false;
    }
    int p = 0;
    int t = 0;
    while (p < pattern.length()) {
      char c = pattern.charAt(p);
      if (c == '#') {
        return true;
      }
      if (c == '+') {
        while (t < name.length() && name.charAt(t) != '/') {
          t++;
        }
        p++;
      } else if (t < name.length() && name.charAt(t) == c) {
        p++;
        t++;
      } else {
        // "a/#" also matches its parent "a".
        return t == name.length() && p == pattern.length() - 2 && pattern.endsWith("/#");
      }
      if (t == name.length() && p == pattern.length() - 2 && pattern.endsWith("/#")) {
        return true;
      }
    }
    return t == name.length();
  }

  private static void requireValidPattern(String pattern) {
    if (pattern.isEmpty()) {
      throw new IllegalArgumentException("topic filter is empty");
    }
    requireText(pattern);
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      boolean startsLevel = i == 0 || pattern.charAt(i - 1) == '/';
      boolean endsLevel = i == pattern.length() - 1 || pattern.charAt(i + 1) == '/';
      if (c == '+' && !(startsLevel && endsLevel)) {
        throw new IllegalArgumentException("'+' must occupy an entire level of the topic filter");
      }
      if (c == '#' && !(startsLevel && i == pattern.length() - 1)) {
        throw new IllegalArgumentException(
            "'#' must be the last level of the topic filter and occupy that entire level");
      }
    }
    if (Topic.tooLong(pattern)) {
      throw new IllegalArgumentException("topic filter is longer than 65535 bytes");
    }
  }

  private static void requireText(String part) {
    for (int i = 0; i < part.length(); i++) {
      if (part.charAt(i) == 0) {
        throw new IllegalArgumentException("topic filter contains U+0000");
      }
      if (Topic.isUnpairedSurrogate(part, i)) {
        throw new IllegalArgumentException("topic filter contains an unpaired surrogate");
      }
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
