package io.fjordmq.cluster;

import java.util.regex.Pattern;

/**
 * The permanent, unique name of a node. It is generated at the first start of the node and kept in
 * its data directory; it does not depend on the address.
 *
 * @param value 1 to 64 of {@code a-z A-Z 0-9 - _}
 */
public record NodeId(String value) {
  private static final Pattern VALID = Pattern.compile("[a-zA-Z0-9_-]{1,64}");

  /**
   * @throws IllegalArgumentException if the value contains other characters or has another length
   */
  public NodeId {
    if (!VALID.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "node id must be 1 to 64 letters, digits, '-' or '_', not '" + value + "'");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
