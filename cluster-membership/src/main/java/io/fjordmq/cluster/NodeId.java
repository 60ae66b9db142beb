package io.fjordmq.cluster;

import java.util.regex.Pattern;

/**
 * Names a node for ever. Made at its first start and kept in its data directory; it is not an
 * address.
 *
 * @param value 1 to 64 of {@code a-z A-Z 0-9 - _}
 */
public record NodeId(String value) {
  private static final Pattern FORM = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

  /**
   * @throws IllegalArgumentException if the value has another form
   */
  public NodeId {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "node id must be 1 to 64 letters, digits, '-' or '_', not '" + value + "'");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
