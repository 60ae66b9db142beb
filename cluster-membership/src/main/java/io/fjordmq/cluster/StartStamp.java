package io.fjordmq.cluster;

/**
 * Tells the starts of a node apart.
 *
 * @param count how often the data directory was started, and how often the node has raised it since
 * @param token random: two starts from copies of one directory have the same count, but not this
 */
public record StartStamp(long count, long token) {

  /** Of a node without a data directory of its own; earlier than every other. */
  public static final StartStamp NONE = new StartStamp(0, 0);

  /** Whether this start may follow the other, or is the other. */
  boolean mayFollow(StartStamp other) {
    return count > other.count || equals(other);
  }

  @Override
  public String toString() {
    return count + "/" + Long.toHexString(token);
  }
}
