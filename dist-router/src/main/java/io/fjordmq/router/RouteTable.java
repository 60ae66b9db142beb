package io.fjordmq.router;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.KeyInterval;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All routes in the memory of a node, indexed for matching. The replicas of the {@code dist} ranges
 * fill it, each on its own thread; event loops match against it. Thread-safe.
 */
public final class RouteTable {
  private final FilterTable<PatternRoutes, MatchedRoutes> filters;
  private final LongAdder routes = new LongAdder();
  private final LiveRouteCounts liveRoutes = new LiveRouteCounts();

  /** Changed under the lock of filters. */
  private final SharedFilters shared = new SharedFilters();

  // Values that many routes have in common; guarded by the lock of filters.
  private final LossyInterner<String> tenants = new LossyInterner<>();
  private final LossyInterner<Receiver> nodes = new LossyInterner<>();
  private final LossyInterner<SubscriptionOptions> options = new LossyInterner<>();

  /** Intervals that replicas have filled since startup; guarded by itself. */
  private final List<KeyInterval> filled = new ArrayList<>();

  RouteTable(int maxCachedTopics) {
    filters = FilterTable.weighted(RouteMerge::of, maxCachedTopics);
  }

  /** See {@code RouteStore.match}. */
  public MatchedRoutes match(String tenant, String topic, IntConsumer visited) {
    return filters.match(tenant, topic, visited);
  }

  /** See {@code RouteStore.match}. */
  MatchedRoutes match(String tenant, String topic) {
    return match(tenant, topic, visited -> {});
  }

  public RouteStoreStatus status() {
    FilterTable.Status cache = filters.status();
    return new RouteStoreStatus(
        routes.sum(),
        cache.filters(),
        cache.cachedTopics(),
        cache.hits(),
        cache.misses(),
        cache.invalidations(),
        cache.evictions(),
        0);
  }

  /** See {@code RouteStore.has}. */
  public boolean has(Route route) {
    boolean[] found = new boolean[1];
    filters.compute(
        route.tenant(),
        route.filter().pattern(),
        present -> {
          found[0] = present != null && present.has(route);
          return present;
        });
    return found[0];
  }

  /**
   * Returns the current routes of exactly one filter. The cost depends on the number of these
   * routes and, if no tenant is given, on the number of tenants.
   *
   * @param tenant null for the filter in all tenants
   */
  public List<Route> routesOf(@Nullable String tenant, TopicFilter filter) {
    if (tenant != null) {
      PatternRoutes found = filters.get(tenant, filter.pattern());
      return found == null ? List.of() : found.routesOf(filter.shareName());
    }
    List<Route> all = new ArrayList<>();
    filters.tenants().forEach(each -> all.addAll(routesOf(each, filter)));
    return all;
  }

  /** Returns a topic filter with its receivers; empty if it has no routes. */
  public Optional<RoutedFilter> find(String tenant, TopicFilter filter) {
    return summarize(routesOf(tenant, filter));
  }

  private static Optional<RoutedFilter> summarize(List<Route> routes) {
    return routes.stream().map(RoutedFilter::of).reduce(RoutedFilter::and);
  }

  /** Returns the number of changes since startup: while it is the same, so are the routes. */
  public long changes() {
    return filters.changes();
  }

  /** Adds or replaces a route. Every match that starts after this method returns sees the route. */
  void add(Route route) {
    filters.compute(
        route.tenant(),
        route.filter().pattern(),
        before -> {
          Route interned = intern(route);
          int sizeBefore = before == null ? 0 : before.size();
          PatternRoutes after = before == null ? PatternRoutes.of(interned) : before.with(interned);
          routes.add(after.size() - sizeBefore);
          if (interned.filter().isShared()) {
            shared.add(interned.tenant(), interned.filter().text());
          }
          liveRoutes.add(interned.receiver(), after.size() - sizeBefore);
          return after;
        });
  }

  private Route intern(Route route) {
    Receiver receiver = route.receiver();
    return new Route(
        tenants.intern(route.tenant()),
        route.filter(),
        receiver instanceof Receiver.Live ? nodes.intern(receiver) : receiver,
        options.intern(route.options()));
  }

  /** Removes a route. No match that starts after this method returns sees the route. */
  void remove(RouteId route) {
    filters.compute(
        route.tenant(),
        route.filter().pattern(),
        before -> {
          PatternRoutes after = before == null ? null : before.without(route);
          if (after != before) {
            routes.decrement();
            String share = route.filter().shareName();
            if (share != null && (after == null || !after.hasShare(share))) {
              shared.remove(route.tenant(), route.filter().text());
            }
            liveRoutes.add(route.receiver(), -1);
          }
          return after;
        });
  }

  /**
   * Replaces the routes of an interval with those in a replica's rows. Routes that are in both are
   * matched without interruption.
   *
   * @param rows passes every route of the interval to its argument
   */
  void rebuild(KeyInterval interval, Consumer<Consumer<Route>> rows) {
    Set<RouteId> obsolete = markFilled(interval) ? idsWithin(interval) : new HashSet<>();
    rows.accept(
        route -> {
          add(route);
          obsolete.remove(RouteId.of(route));
        });
    obsolete.forEach(this::remove);
  }

  /** Returns the latest ended incarnation of each node that still has routes. */
  public Map<String, Long> endedIncarnations(Predicate<Receiver.Live> hasEnded) {
    return liveRoutes.ended(hasEnded);
  }

  /**
   * Some topic filters with their receivers, sorted by their text.
   *
   * @param complete whether all routes were visited; otherwise filters may be missing
   */
  public record Listing(List<RoutedFilter> filters, boolean complete) {}

  /**
   * Lists topic filters with their receivers, sorted by their text, without a lock; routes that
   * change meanwhile may be missed. The cost depends mainly on the number of listed filters. For
   * infrequent use, not on an event loop.
   *
   * @param after only filters after this one are listed; empty for all
   * @param limit maximum number of filters; &gt; 0
   * @param isOver ends the listing when it becomes true
   */
  public Listing list(String tenant, String after, int limit, BooleanSupplier isOver) {
    SortedListing listing =
        new SortedListing(
            shared.after(tenant, after).iterator(), share -> find(tenant, share), limit);
    boolean complete =
        filters.forEachSorted(
            tenant,
            after,
            isOver,
            pattern -> {
              summarize(pattern.routesOf(null)).ifPresent(listing::add);
              return !listing.isFull();
            });
    if (complete) {
      listing.addSharedBefore(null);
    }
    return new Listing(listing.filters(), complete);
  }

  /**
   * Visits the texts of all topic filters of a tenant, each once and in no particular order,
   * without a lock; routes that change meanwhile may be missed. For infrequent use, not on an event
   * loop.
   *
   * @param isOver ends the visit when it becomes true
   * @return whether all routes were visited
   */
  public boolean visitFilters(
      String tenant, BooleanSupplier isOver, Consumer<? super String> visitor) {
    Set<String> texts = new HashSet<>(); // of one pattern: the filter itself, and its shares
    return filters.forEachUntil(
        tenant,
        isOver,
        pattern -> {
          pattern.forEach(route -> texts.add(route.filter().text()));
          texts.forEach(visitor);
          texts.clear();
        });
  }

  /** Marks the interval as filled; returns whether a part of it was already filled. */
  private boolean markFilled(KeyInterval interval) {
    synchronized (filled) {
      boolean overlapped = filled.stream().anyMatch(interval::overlaps);
      filled.removeIf(interval::equals);
      filled.add(interval);
      return overlapped;
    }
  }

  private Set<RouteId> idsWithin(KeyInterval interval) {
    Set<RouteId> ids = new HashSet<>();
    filters.forEach(
        pattern ->
            pattern.forEach(
                route -> {
                  RouteId id = RouteId.of(route);
                  if (interval.contains(RouteKeys.of(id))) {
                    ids.add(id);
                  }
                }));
    return ids;
  }
}
