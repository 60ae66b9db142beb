package io.fjordmq.cluster.consensus;

import java.util.regex.Pattern;

/**
 * The id of a Raft group; never reused.
 *
 * @param value a letter, then letters, digits, '-' or '_'
 */
public record GroupId(String value) {
  private static final Pattern FORMAT = Pattern.compile("[a-zA-Z][a-zA-Z0-9_-]*");

  /**
   * @throws IllegalArgumentException if the value has any other format
   */
  public GroupId {
    if (!FORMAT.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "group id must be a letter followed by letters, digits, '-' or '_', not '" + value + "'");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
