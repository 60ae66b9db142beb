package io.fjordmq.api;

import org.jspecify.annotations.Nullable;

/**
 * A topic filter as it stands in a SUBSCRIBE, with its share name split off (MQTT 5.0 §4.7,
 * §4.8.2).
 *
 * @param text what the client sent, e.g. {@code $share/group/site/+/temperature}
 * @param shareName {@code group} above; null if the subscription is not shared
 * @param pattern the filter without its share, e.g. {@code site/+/temperature}
 */
public record TopicFilter(String text, @Nullable String shareName, String pattern) {
  private static final String SHARE_PREFIX = "$share/";

  /**
   * Reads a topic filter.
   *
   * @throws IllegalArgumentException if it is not valid; the message says why
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
          "shared topic filter must be $share/<name>/<filter> with a name free of wildcards");
    }
    requireText(share);
    String pattern = text.substring(slash + 1);
    requireValidPattern(pattern);
    if (Topic.tooLong(text)) {
      throw new IllegalArgumentException("topic filter is longer than 65535 bytes");
    }
    return new TopicFilter(text, share, pattern);
  }

  /** True if messages that match go to one member of the share only. */
  public boolean isShared() {
    return shareName != null;
  }

  /** True if the pattern has a {@code +} or {@code #}. */
  public boolean hasWildcard() {
    return pattern.indexOf('+') >= 0 || pattern.indexOf('#') >= 0;
  }

  /**
   * True if the pattern matches the topic. {@code $}-topics match no pattern that begins with a
   * wildcard.
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
        // "a/#" matches its parent "a" too.
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
        throw new IllegalArgumentException("'+' must fill a whole level of the topic filter");
      }
      if (c == '#' && !(startsLevel && i == pattern.length() - 1)) {
        throw new IllegalArgumentException("'#' must be the whole last level of the topic filter");
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
      if (Topic.isHalfCharacter(part, i)) {
        throw new IllegalArgumentException("topic filter contains half of a surrogate pair");
      }
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
