package io.fjordmq.cluster;

/**
 * Identifies one start of a node.
 *
 * @param count number of starts of the data directory, plus the number of increments by {@link
 *     StartFence#incrementCounter}
 * @param token random, so that two starts from copies of one directory differ although their counts
 *     are equal
 */
public record StartStamp(long count, long token) {

  /** The stamp of a node without a data directory; precedes all others. */
  public static final StartStamp NONE = new StartStamp(0, 0);

  /** Returns whether this start is later than the other one or the same. */
  boolean mayFollow(StartStamp other) {
    return count > other.count || equals(other);
  }

  @Override
  public String toString() {
    return count + "/" + Long.toHexString(token);
  }
}
