package io.fjordmq.router;

import java.time.Duration;

/**
 * Settings of the router.
 *
 * @param initialRanges number of ranges in a new cluster, 1 to 65,536
 * @param maxCachedTopics capacity of the match cache in topics; a match that merges several filters
 *     takes one more place for each of its receivers. When the cache is full, topics that were not
 *     used recently are evicted
 * @param barrier timeouts for waiting until all nodes have a route
 */
public record RouterSettings(int initialRanges, int maxCachedTopics, Barrier barrier) {
  public static final RouterSettings DEFAULTS = new RouterSettings(2, 100_000, Barrier.DEFAULTS);

  /**
   * Timeouts of the route barrier: a route is effective once all live nodes have it.
   *
   * @param askTimeout time to wait for a node's answer before the request is repeated
   * @param askAgainAfter pause before the request to an unreachable node is repeated
   * @param patience time after which a route change fails; longer than it takes to mark an
   *     unresponsive node DOWN
   */
  public record Barrier(Duration askTimeout, Duration askAgainAfter, Duration patience) {
    public static final Barrier DEFAULTS =
        new Barrier(Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofSeconds(15));

    /**
     * @throws IllegalArgumentException if a value is out of range; the message names it
     */
    public Barrier {
      requirePositive("askTimeout", askTimeout);
      requirePositive("askAgainAfter", askAgainAfter);
      requirePositive("patience", patience);
    }

    private static void requirePositive(String name, Duration value) {
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException(name + " must be at least 1 ms: " + value);
      }
    }
  }

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public RouterSettings {
    if (initialRanges < 1 || initialRanges > RouteCodec.BUCKETS) {
      throw new IllegalArgumentException(
          "initialRanges must be between 1 and 65536: " + initialRanges);
    }
    if (maxCachedTopics < 1) {
      throw new IllegalArgumentException("maxCachedTopics must be at least 1: " + maxCachedTopics);
    }
  }
}
