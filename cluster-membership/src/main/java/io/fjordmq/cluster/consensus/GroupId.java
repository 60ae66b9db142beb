package io.fjordmq.cluster.consensus;

import java.util.regex.Pattern;

/**
 * Names a Raft group; never reused.
 *
 * @param value a letter, then letters, digits, '-' or '_'
 */
public record GroupId(String value) {
  private static final Pattern FORM = Pattern.compile("[a-zA-Z][a-zA-Z0-9_-]*");

  /**
   * @throws IllegalArgumentException if the value has another form
   */
  public GroupId {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException("not a group id: '" + value + "'");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
