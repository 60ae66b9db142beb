package io.fjordmq.router;

/**
 * How routes are kept and matched.
 *
 * @param initialRanges into how many ranges a new cluster cuts the store, 1 to 65,536
 * @param maxCachedTopics topics whose matches are remembered; a match that merges several filters
 *     takes the room of a topic for each of its receivers, too. When full, topics not asked for
 *     lately go
 */
public record RouterSettings(int initialRanges, int maxCachedTopics) {
  public static final RouterSettings DEFAULTS = new RouterSettings(2, 100_000);

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public RouterSettings {
    if (initialRanges < 1 || initialRanges > RouteCodec.BUCKETS) {
      throw new IllegalArgumentException("initialRanges must be 1 to 65536, not " + initialRanges);
    }
    if (maxCachedTopics < 1) {
      throw new IllegalArgumentException("maxCachedTopics must be ≥ 1, not " + maxCachedTopics);
    }
  }
}
