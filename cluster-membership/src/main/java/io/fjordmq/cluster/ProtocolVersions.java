package io.fjordmq.cluster;

/**
 * The versions of a protocol that a node supports. Two nodes use the highest version that both
 * support.
 *
 * @param lowest the lowest supported version
 * @param highest the highest supported version
 */
public record ProtocolVersions(int lowest, int highest) {

  /**
   * @throws IllegalArgumentException if the range is empty or negative
   */
  public ProtocolVersions {
    if (lowest < 0 || highest < lowest) {
      throw new IllegalArgumentException(
          "protocol versions must be an ascending range, not " + lowest + " to " + highest);
    }
  }

  /**
   * Returns the highest version that both nodes support.
   *
   * @param protocol the name of the protocol, for the error message
   * @throws IllegalArgumentException if there is no common version; the message names both ranges
   *     and the node to upgrade
   */
  public int negotiate(ProtocolVersions theirs, String protocol) {
    int common = Math.min(highest, theirs.highest);
    if (common < Math.max(lowest, theirs.lowest)) {
      throw new IllegalArgumentException(
          "the peer speaks %s of %s, this node speaks %s; upgrade %s"
              .formatted(
                  theirs, protocol, this, theirs.highest > highest ? "this node" : "the peer"));
    }
    return common;
  }

  @Override
  public String toString() {
    return lowest == highest ? "version " + highest : "versions " + lowest + " to " + highest;
  }
}
