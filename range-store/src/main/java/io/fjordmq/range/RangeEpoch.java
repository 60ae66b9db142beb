package io.fjordmq.range;

/**
 * How often a range was reshaped. A request that was routed by an older one is refused.
 *
 * @param version grows with every change of the interval
 * @param replicas grows with every change of the replica set
 */
public record RangeEpoch(long version, long replicas) {
  public static final RangeEpoch FIRST = new RangeEpoch(1, 1);

  /** Whether this descriptor's range was reshaped after the other's. */
  public boolean isNewerThan(RangeEpoch other) {
    return version > other.version || (version == other.version && replicas > other.replicas);
  }
}
