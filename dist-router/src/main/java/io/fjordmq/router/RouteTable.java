package io.fjordmq.router;

import io.fjordmq.api.TopicFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Every route this node knows, in memory, fed by its replicas of all ranges. A route that was added
 * is in every match that begins later. Thread-safe.
 */
final class RouteTable {
  private final FilterTable<FilterRoutes, MatchedRoutes> table;
  private final AtomicLong routes = new AtomicLong();

  private record RouteKey(String filterText, Receiver receiver) {}

  /**
   * The routes of one pattern, shared or not. The map is changed in place, under the table's lock;
   * each change comes in a new holder, which is how the table knows that something has changed.
   * Copying would make a hundred thousand subscribers of one filter cost their square.
   */
  private record FilterRoutes(Map<RouteKey, Route> byKey) {}

  RouteTable(int maxCachedTopics) {
    table = new FilterTable<>(RouteTable::combine, maxCachedTopics);
  }

  MatchedRoutes match(String tenant, String topic) {
    return table.match(tenant, topic);
  }

  void add(Route route) {
    table.compute(
        route.tenant(),
        route.filter().pattern(),
        before -> {
          Map<RouteKey, Route> byKey = before == null ? new LinkedHashMap<>(2) : before.byKey;
          if (byKey.put(keyOf(route), route) == null) {
            routes.incrementAndGet();
          }
          return new FilterRoutes(byKey);
        });
  }

  void remove(Route route) {
    table.compute(
        route.tenant(), route.filter().pattern(), before -> without(before, keyOf(route)));
  }

  private @Nullable FilterRoutes without(@Nullable FilterRoutes before, RouteKey key) {
    if (before == null || before.byKey.remove(key) == null) {
      return before;
    }
    routes.decrementAndGet();
    return before.byKey.isEmpty() ? null : new FilterRoutes(before.byKey);
  }

  long routes() {
    return routes.get();
  }

  int filters() {
    return table.size();
  }

  int cachedTopics() {
    return table.cachedTopics();
  }

  private static RouteKey keyOf(Route route) {
    return new RouteKey(route.filter().text(), route.receiver());
  }

  private static MatchedRoutes combine(List<FilterRoutes> matched) {
    Set<Receiver.Live> nodes = new LinkedHashSet<>();
    Map<Receiver.Inbox, List<Route>> inboxes = new LinkedHashMap<>();
    Map<TopicFilter, List<Route>> shares = new LinkedHashMap<>();
    for (FilterRoutes routes : matched) {
      for (Route route : routes.byKey.values()) {
        if (route.filter().isShared()) {
          shares.computeIfAbsent(route.filter(), f -> new ArrayList<>()).add(route);
        } else if (route.receiver() instanceof Receiver.Live live) {
          nodes.add(live);
        } else if (route.receiver() instanceof Receiver.Inbox inbox) {
          inboxes.computeIfAbsent(inbox, i -> new ArrayList<>(1)).add(route);
        }
      }
    }
    if (nodes.isEmpty() && inboxes.isEmpty() && shares.isEmpty()) {
      return MatchedRoutes.NONE;
    }
    return new MatchedRoutes(List.copyOf(nodes), inboxMatches(inboxes), shareMatches(shares));
  }

  private static List<MatchedRoutes.InboxMatch> inboxMatches(
      Map<Receiver.Inbox, List<Route>> inboxes) {
    List<MatchedRoutes.InboxMatch> matches = new ArrayList<>(inboxes.size());
    inboxes.forEach(
        (inbox, routes) -> {
          routes.sort(Comparator.comparing(route -> route.filter().text()));
          matches.add(new MatchedRoutes.InboxMatch(inbox, List.copyOf(routes)));
        });
    return List.copyOf(matches);
  }

  private static List<MatchedRoutes.ShareMatch> shareMatches(Map<TopicFilter, List<Route>> shares) {
    List<MatchedRoutes.ShareMatch> matches = new ArrayList<>(shares.size());
    shares.forEach(
        (filter, members) -> {
          String name = filter.shareName();
          if (name != null) {
            matches.add(new MatchedRoutes.ShareMatch(name, filter.pattern(), List.copyOf(members)));
          }
        });
    return List.copyOf(matches);
  }
}
