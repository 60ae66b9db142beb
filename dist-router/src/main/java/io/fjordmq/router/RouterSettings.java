package io.fjordmq.router;

import java.time.Duration;

/**
 * How routes are kept and matched.
 *
 * @param initialRanges into how many ranges a new cluster cuts the store, 1 to 65,536
 * @param maxCachedTopics topics whose matches are remembered; a match that merges several filters
 *     takes the room of a topic for each of its receivers, too. When full, topics not asked for
 *     lately go
 * @param barrier how other nodes are asked whether they have a route
 */
public record RouterSettings(int initialRanges, int maxCachedTopics, Barrier barrier) {
  public static final RouterSettings DEFAULTS = new RouterSettings(2, 100_000, Barrier.DEFAULTS);

  /**
   * How the node waits for the others: a route counts when all living nodes have it.
   *
   * @param askTimeout how long an answer of a node is awaited before it is asked again
   * @param askAgainAfter pause before a node is asked again that could not be reached
   * @param patience after which a change of routes is said to have failed; longer than it takes
   *     until a node that does not answer is counted as down
   */
  public record Barrier(Duration askTimeout, Duration askAgainAfter, Duration patience) {
    public static final Barrier DEFAULTS =
        new Barrier(Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofSeconds(15));

    /**
     * @throws IllegalArgumentException if a value makes no sense; the message names it
     */
    public Barrier {
      requirePositive("askTimeout", askTimeout);
      requirePositive("askAgainAfter", askAgainAfter);
      requirePositive("patience", patience);
    }

    private static void requirePositive(String name, Duration value) {
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException(name + " must be at least 1 ms, not " + value);
      }
    }
  }

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
