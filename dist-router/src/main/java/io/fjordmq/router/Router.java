package io.fjordmq.router;

import io.fjordmq.api.Topic;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/** Keeps routes and matches topics against them. Thread-safe; nothing here blocks. */
public interface Router {

  /**
   * Adds or replaces a route. Completes when every PUBLISH that any living node accepts from now on
   * is matched against it. Fails with {@link io.fjordmq.range.RangeException}.
   */
  CompletableFuture<Void> add(Route route);

  /** Whether this node matches the route, with these options. Local, as {@link #match}. */
  boolean has(Route route);

  /**
   * Removes a route; completes when no node matches it any more. Nothing happens if there is none.
   */
  CompletableFuture<Void> remove(Route route);

  /**
   * Removes every route of live receivers of the node with an incarnation lower than this; returns
   * how many.
   */
  CompletableFuture<Integer> removeStale(String node, long incarnation);

  /**
   * Who receives the topic. Local: no network, no disk, no lock held while waiting.
   *
   * @param visited told how many nodes of the filter trie were visited if the result was not cached
   */
  MatchedRoutes match(String tenant, Topic topic, IntConsumer visited);

  /** Who receives the topic, whatever it costs to find out. */
  default MatchedRoutes match(String tenant, Topic topic) {
    return match(tenant, topic, visited -> {});
  }
}
