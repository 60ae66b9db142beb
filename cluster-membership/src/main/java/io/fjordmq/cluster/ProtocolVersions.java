package io.fjordmq.cluster;

/**
 * The versions of a protocol that a node speaks. Two nodes use the highest that both speak.
 *
 * @param lowest that it still speaks
 * @param highest that it speaks
 */
public record ProtocolVersions(int lowest, int highest) {

  /**
   * @throws IllegalArgumentException if there is no version between them
   */
  public ProtocolVersions {
    if (lowest < 0 || highest < lowest) {
      throw new IllegalArgumentException("not a range of versions: " + lowest + " to " + highest);
    }
  }

  /**
   * The highest version that both speak.
   *
   * @param protocol in words, for the message
   * @throws IllegalArgumentException if there is none; names both ranges and which node to upgrade
   */
  public int inCommonWith(ProtocolVersions theirs, String protocol) {
    int common = Math.min(highest, theirs.highest);
    if (common < Math.max(lowest, theirs.lowest)) {
      throw new IllegalArgumentException(
          "it speaks %s of %s, this node speaks %s: upgrade %s"
              .formatted(theirs, protocol, this, theirs.highest > highest ? "this node" : "it"));
    }
    return common;
  }

  @Override
  public String toString() {
    return lowest == highest ? "version " + highest : "versions " + lowest + " to " + highest;
  }
}
