package io.fjordmq.router;

import io.fjordmq.router.MatchedRoutes.InboxMatch;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The routes of a pattern with several routes, in insertion order. Thread-safe. */
final class PatternMembers {
  private final Map<Receiver, Route> nonShared = new LinkedHashMap<>();

  /** Members by share name; no map is empty. */
  private final Map<String, Map<Receiver, Route>> shares = new LinkedHashMap<>(2);

  /** Adds or replaces a route; returns the previous one. */
  synchronized @Nullable Route put(Route route) {
    String share = route.filter().shareName();
    Map<Receiver, Route> routes =
        share == null ? nonShared : shares.computeIfAbsent(share, name -> new LinkedHashMap<>());
    return routes.put(route.receiver(), route);
  }

  /** Removes a route; returns whether it was present. */
  synchronized boolean remove(RouteId route) {
    String share = route.filter().shareName();
    Map<Receiver, Route> routes = share == null ? nonShared : shares.get(share);
    if (routes == null || routes.remove(route.receiver()) == null) {
      return false;
    }
    if (share != null && routes.isEmpty()) {
      shares.remove(share);
    }
    return true;
  }

  synchronized boolean has(Route route) {
    String share = route.filter().shareName();
    Map<Receiver, Route> routes = share == null ? nonShared : shares.get(share);
    return routes != null && route.equals(routes.get(route.receiver()));
  }

  /** Returns any of the routes; there must be at least one. */
  synchronized Route any() {
    Map<Receiver, Route> routes =
        nonShared.isEmpty() ? shares.values().iterator().next() : nonShared;
    return routes.values().iterator().next();
  }

  synchronized void forEach(Consumer<Route> action) {
    nonShared.values().forEach(action);
    shares.values().forEach(routes -> routes.values().forEach(action));
  }

  /** Returns a copy of the routes of a share; null for those that are not shared. */
  synchronized List<Route> routesOf(@Nullable String share) {
    Map<Receiver, Route> routes = share == null ? nonShared : shares.get(share);
    return routes == null ? List.of() : new ArrayList<>(routes.values());
  }

  synchronized boolean hasShare(String share) {
    return shares.containsKey(share);
  }

  synchronized MatchedRoutes matched() {
    List<Receiver.Live> nodes = new ArrayList<>();
    List<Receiver.Live> atMostOnce = new ArrayList<>();
    List<InboxMatch> inboxes = new ArrayList<>(nonShared.size());
    for (Route route : nonShared.values()) {
      if (route.receiver() instanceof Receiver.Inbox inbox) {
        inboxes.add(new InboxMatch(inbox, List.of(route)));
      } else {
        nodes.add((Receiver.Live) route.receiver());
        if (route.isAtMostOnce()) {
          atMostOnce.add((Receiver.Live) route.receiver());
        }
      }
    }
    List<ShareMatch> shared = new ArrayList<>(shares.size());
    for (Map.Entry<String, Map<Receiver, Route>> share : shares.entrySet()) {
      List<Route> members = List.copyOf(share.getValue().values());
      String pattern = members.get(0).filter().pattern();
      shared.add(new ShareMatch(share.getKey(), pattern, members));
    }
    return new MatchedRoutes(
        List.copyOf(nodes), List.copyOf(inboxes), List.copyOf(shared), List.copyOf(atMostOnce));
  }
}
