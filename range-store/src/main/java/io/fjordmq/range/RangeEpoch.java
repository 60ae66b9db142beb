package io.fjordmq.range;

/**
 * Version of a range's interval and replicas. The range rejects requests that were routed by an
 * older epoch.
 *
 * @param version increases with every change of the interval
 * @param replicas increases with every change of the replica set
 */
public record RangeEpoch(long version, long replicas) {
  public static final RangeEpoch FIRST = new RangeEpoch(1, 1);

  /** Returns whether this epoch is later than the other. */
  public boolean isNewerThan(RangeEpoch other) {
    return version > other.version || (version == other.version && replicas > other.replicas);
  }
}
