package io.fjordmq.broker.query;

import io.fjordmq.router.RouteTable;
import io.fjordmq.router.RoutedFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists the topic filters that have subscribers, from this node's copy of the routes. Thread-safe;
 * does not block.
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
   */
  public record Page(List<SubscribedTopic> filters, @Nullable String next) {}

  private final RouteTable routes;
  private final Executor queryThreads;

  TopicQueries(RouteTable routes, Executor queryThreads) {
    this.routes = routes;
    this.queryThreads = queryThreads;
  }

  /**
   * Lists topic filters of a tenant, sorted by their text. Visits all routes of the tenant.
   *
   * @param after only filters after this one are listed; empty for all
   * @param accepts selects filters by their text
   * @param skip number of filters to skip first
   * @param limit maximum number of filters; &gt; 0
   */
  public CompletableFuture<Page> list(
      String tenant, String after, Predicate<String> accepts, int skip, int limit) {
    return CompletableFuture.supplyAsync(
        () -> {
          List<RoutedFilter> found = routes.list(tenant, after, accepts, skip + limit + 1);
          int from = Math.min(skip, found.size());
          int to = Math.min(skip + limit, found.size());
          return new Page(
              found.subList(from, to).stream().map(SubscribedTopic::of).toList(),
              to < found.size() ? found.get(to - 1).filter() : null);
        },
        queryThreads);
  }
}
