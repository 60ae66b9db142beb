package io.fjordmq.router;

import java.time.Duration;

/**
 * Settings of the router.
 *
 * @param initialRanges number of ranges in a new cluster, 1 to 65,536
 * @param maxCachedTopics capacity of the match cache in topics; a match that merges several filters
 *     counts as one more topic for each of its receivers. When the cache is full, topics that were
 *     not used recently are evicted
 * @param barrier timeouts for waiting until all nodes have a route
 */
public record RouteSettings(int initialRanges, int maxCachedTopics, Barrier barrier) {
  public static final RouteSettings DEFAULTS = new RouteSettings(2, 100_000, Barrier.DEFAULTS);

  /** Keys have this many buckets, and a range holds at least one. */
  private static final int MAX_INITIAL_RANGES = 65_536;

  /**
   * Timeouts of the route barrier: a route is effective once all live nodes have it.
   *
   * @param requestTimeout time to wait for a node's response before the request is repeated
   * @param retryInterval pause before the request to an unreachable node is repeated
   * @param timeout time after which a route change fails; longer than it takes to mark an
   *     unresponsive node DOWN
   */
  public record Barrier(Duration requestTimeout, Duration retryInterval, Duration timeout) {
    public static final Barrier DEFAULTS =
        new Barrier(Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofSeconds(15));

    /**
     * @throws IllegalArgumentException if a value is out of range; the message names the setting
     */
    public Barrier {
      requirePositive("requestTimeout", requestTimeout);
      requirePositive("retryInterval", retryInterval);
      requirePositive("timeout", timeout);
    }

    private static void requirePositive(String name, Duration value) {
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException(
            name + " must be at least 1 ms, not " + value.toMillis() + " ms");
      }
    }
  }

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names the setting
   */
  public RouteSettings {
    if (initialRanges < 1 || initialRanges > MAX_INITIAL_RANGES) {
      throw new IllegalArgumentException(
          "initialRanges must be between 1 and " + MAX_INITIAL_RANGES + ", not " + initialRanges);
    }
    if (maxCachedTopics < 1) {
      throw new IllegalArgumentException(
          "maxCachedTopics must be at least 1, not " + maxCachedTopics);
    }
  }
}
