package io.fjordmq.router;

import io.fjordmq.api.Topic;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/** Stores routes and matches topics against them. Thread-safe and non-blocking. */
public interface RouteStore {

  /**
   * Adds or replaces a route. Completes when every live node matches the messages that it accepts
   * from then on against the route. Fails with {@link io.fjordmq.range.RangeException}.
   */
  CompletableFuture<Void> add(Route route);

  /**
   * Returns whether this node matches topics against the route with these options. Local, like
   * {@link #match}.
   */
  boolean has(Route route);

  /** Removes a route, if it exists. Completes when no node matches it anymore. */
  CompletableFuture<Void> remove(Route route);

  /**
   * Removes the routes of the node's live receivers with a lower incarnation. Completes with the
   * number of removed routes.
   */
  CompletableFuture<Integer> removeStale(String node, long incarnation);

  /**
   * Returns the receivers of a topic. Local: uses neither network nor disk and never blocks.
   *
   * @param visited receives the number of trie nodes visited, unless the result was cached
   */
  MatchedRoutes match(String tenant, Topic topic, IntConsumer visited);

  /** Returns the receivers of a topic. */
  default MatchedRoutes match(String tenant, Topic topic) {
    return match(tenant, topic, visited -> {});
  }
}
