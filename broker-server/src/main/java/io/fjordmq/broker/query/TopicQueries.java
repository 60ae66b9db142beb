package io.fjordmq.broker.query;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.router.RouteTable;
import io.fjordmq.router.RoutedFilter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists the topic filters that have subscribers, from this node's copy of the routes. Lists may
 * read many routes, so they have their own thread and a time limit. Thread-safe; does not block.
 */
public final class TopicQueries {
  /**
   * A topic filter that has subscribers.
   *
   * @param filter the filter as in SUBSCRIBE
   * @param nodes nodes with connected subscribers, sorted
   * @param sessions number of persistent sessions that subscribe
   */
  public record SubscribedTopic(String filter, List<String> nodes, int sessions) {
    static SubscribedTopic of(RoutedFilter routed) {
      return new SubscribedTopic(routed.filter(), List.copyOf(routed.nodes()), routed.inboxes());
    }
  }

  /**
   * A page of topic filters.
   *
   * @param next the filter after which the next page starts; null if this is the last page
   * @param complete whether the time sufficed; otherwise filters may be missing
   */
  public record Page(List<SubscribedTopic> filters, @Nullable String next, boolean complete) {}

  /**
   * A page of topic levels.
   *
   * @param next the level after which the next page starts; null if this is the last page
   * @param complete whether all routes were read; otherwise levels may be missing, and counts too
   *     low
   */
  public record LevelPage(
      List<TopicLevels.Level> levels, @Nullable String next, boolean complete) {}

  private final RouteTable routes;
  private final Executor thread;

  TopicQueries(RouteTable routes, Executor thread) {
    this.routes = routes;
    this.thread = thread;
  }

  /**
   * Lists topic filters of a tenant, sorted by their text.
   *
   * @param after only filters after this one are listed; empty for all
   * @param skip number of filters to skip first
   * @param limit maximum number of filters; &gt; 0
   */
  public CompletableFuture<Page> list(String tenant, String after, int skip, int limit) {
    BooleanSupplier timeIsUp = QueryNodes.pageTimer(); // includes waiting for other lists
    return CompletableFuture.supplyAsync(
        () -> {
          RouteTable.Listing listing = routes.list(tenant, after, skip + limit + 1, timeIsUp);
          List<RoutedFilter> found = listing.filters();
          int from = Math.min(skip, found.size());
          int to = Math.min(skip + limit, found.size());
          return new Page(
              found.subList(from, to).stream().map(SubscribedTopic::of).toList(),
              to > 0 && to < found.size() ? found.get(to - 1).filter() : null,
              listing.complete());
        },
        thread);
  }

  /**
   * Finds a topic filter of a tenant by its text. Reads only the routes of this filter, on the
   * calling thread.
   *
   * @return empty if it has no subscribers
   */
  public Optional<SubscribedTopic> find(String tenant, String filter) {
    try {
      return routes.find(tenant, TopicFilter.parse(filter)).map(SubscribedTopic::of);
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // no client can subscribe to it
    }
  }

  /**
   * Lists the topic levels that directly follow a prefix in topic filters of a tenant, sorted by
   * their text. Reads all routes of the tenant.
   *
   * @param prefix the text before the levels: empty, or ends with a slash
   * @param after only levels after this one are listed; null for all
   * @param skip number of levels to skip first
   * @param limit maximum number of levels; &gt; 0
   */
  public CompletableFuture<LevelPage> levels(
      String tenant, String prefix, @Nullable String after, int skip, int limit) {
    BooleanSupplier timeIsUp = QueryNodes.pageTimer(); // includes waiting for other lists
    return CompletableFuture.supplyAsync(
        () -> {
          TopicLevels collected = new TopicLevels(prefix, after, skip + limit + 1);
          boolean complete = routes.visitFilters(tenant, timeIsUp, collected::add);
          List<TopicLevels.Level> found = collected.sorted();
          int from = Math.min(skip, found.size());
          int to = Math.min(skip + limit, found.size());
          return new LevelPage(
              found.subList(from, to),
              to > 0 && to < found.size() ? found.get(to - 1).level() : null,
              complete);
        },
        thread);
  }
}
