package io.fjordmq.broker.net;

import io.fjordmq.api.Topic;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.Router;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.IntConsumer;

/** A router that keeps its routes in a map and tries each. */
final class MapRouter implements Router {
  private StoreTasks tasks;
  private final Map<String, Route> routes = new ConcurrentSkipListMap<>();

  private int additions;

  MapRouter(StoreTasks tasks) {
    this.tasks = tasks;
  }

  void runOn(StoreTasks others) {
    tasks = others;
  }

  private static String key(Route route) {
    return route.tenant() + "|" + route.filter().text() + "|" + route.receiver();
  }

  @Override
  public CompletableFuture<Void> add(Route route) {
    additions++;
    return tasks.call(
        () -> {
          routes.put(key(route), route);
          return null;
        });
  }

  /** Calls of {@link #add}. */
  int additions() {
    return additions;
  }

  @Override
  public boolean has(Route route) {
    return route.equals(routes.get(key(route)));
  }

  @Override
  public CompletableFuture<Void> remove(Route route) {
    return tasks.call(
        () -> {
          routes.remove(key(route));
          return null;
        });
  }

  @Override
  public CompletableFuture<Integer> removeStale(String node, long incarnation) {
    return CompletableFuture.completedFuture(0);
  }

  @Override
  public MatchedRoutes match(String tenant, Topic topic, IntConsumer visited) {
    Set<Receiver.Live> nodes = new LinkedHashSet<>();
    Map<Receiver.Inbox, List<Route>> inboxes = new LinkedHashMap<>();
    Map<String, List<Route>> shares = new LinkedHashMap<>();
    for (Route route : routes.values()) {
      if (!route.tenant().equals(tenant) || !route.filter().matches(topic)) {
        continue;
      }
      if (route.filter().isShared()) {
        shares.computeIfAbsent(route.filter().text(), text -> new ArrayList<>()).add(route);
      } else if (route.receiver() instanceof Receiver.Inbox inbox) {
        inboxes.computeIfAbsent(inbox, any -> new ArrayList<>()).add(route);
      } else if (route.receiver() instanceof Receiver.Live live) {
        nodes.add(live);
      }
    }
    return new MatchedRoutes(
        List.copyOf(nodes),
        inboxes.entrySet().stream()
            .map(one -> new MatchedRoutes.InboxMatch(one.getKey(), one.getValue()))
            .toList(),
        shares.values().stream().map(MapRouter::share).toList());
  }

  private static MatchedRoutes.ShareMatch share(List<Route> members) {
    var filter = members.get(0).filter();
    return new MatchedRoutes.ShareMatch(
        String.valueOf(filter.shareName()), filter.pattern(), members);
  }

  /** Filters with a route to this kind of receiver. */
  List<String> filters(Class<? extends Receiver> kind) {
    return routes.values().stream()
        .filter(route -> kind.isInstance(route.receiver()))
        .map(route -> route.filter().text())
        .toList();
  }
}
