package io.fjordmq.broker.testing;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A router that keeps its routes in a map and scans it. Its calls take effect when its {@link
 * StoreTasks} run; two calls for one route at the same time are a fault. Thread-safe.
 */
public final class MemoryRouteStore implements RouteStore {

  private record Key(String tenant, String filter, Receiver receiver) {
    static Key of(Route route) {
      return new Key(route.tenant(), route.filter().text(), route.receiver());
    }
  }

  private final Map<Key, Route> routes =
      new ConcurrentSkipListMap<>(
          Comparator.comparing(Key::tenant)
              .thenComparing(Key::filter)
              .thenComparing(key -> key.receiver().toString()));
  private final Set<Key> busy = ConcurrentHashMap.newKeySet();
  private final List<String> calls = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();
  private StoreTasks tasks;
  private @Nullable RuntimeException failure;

  public MemoryRouteStore(StoreTasks tasks) {
    this.tasks = tasks;
  }

  /** From now on calls take effect with these tasks. */
  void runOn(StoreTasks others) {
    tasks = others;
  }

  /** Calls take effect and complete on this executor. */
  public void runOn(Executor executor) {
    tasks.runOn(executor);
  }

  @Override
  public CompletableFuture<Void> add(Route route) {
    return call("add ", route, () -> routes.put(Key.of(route), route));
  }

  @Override
  public boolean has(Route route) {
    return route.equals(routes.get(Key.of(route)));
  }

  @Override
  public CompletableFuture<Void> remove(Route route) {
    return call("remove ", route, () -> routes.remove(Key.of(route)));
  }

  private CompletableFuture<Void> call(String name, Route route, Runnable change) {
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    Key key = Key.of(route);
    synchronized (this) {
      calls.add(name + route.filter().text());
      if (!busy.add(key)) {
        faults.add(name + route + " while another call for it is under way");
      }
    }
    return tasks.call(
        () -> {
          change.run();
          busy.remove(key);
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
        shares.values().stream().map(MemoryRouteStore::share).toList());
  }

  private static MatchedRoutes.ShareMatch share(List<Route> members) {
    var filter = members.get(0).filter();
    return new MatchedRoutes.ShareMatch(
        String.valueOf(filter.shareName()), filter.pattern(), members);
  }

  /** From now on calls wait for {@link #releaseOne}. */
  public void hold() {
    tasks.hold();
  }

  /** Lets the oldest waiting call take effect. */
  public void releaseOne() {
    tasks.releaseOne();
  }

  /** Lets the oldest waiting call fail. */
  public void failOne(RuntimeException fault) {
    tasks.failOne(fault);
  }

  /** All calls fail with this exception until it is set to null. */
  public void failWith(@Nullable RuntimeException fault) {
    failure = fault;
  }

  public int heldCalls() {
    return tasks.waiting();
  }

  /** The calls so far, e.g. {@code add a/+}. */
  public List<String> calls() {
    return calls;
  }

  /** Number of calls of {@link #add}. */
  public int additions() {
    return (int) calls.stream().filter(call -> call.startsWith("add ")).count();
  }

  public synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  /** Of each route. */
  public List<String> filters() {
    return routes.values().stream().map(route -> route.filter().text()).toList();
  }

  /** Filters with a route to this kind of receiver. */
  public List<String> filters(Class<? extends Receiver> kind) {
    return routes.values().stream()
        .filter(route -> kind.isInstance(route.receiver()))
        .map(route -> route.filter().text())
        .toList();
  }

  /** Of each route. */
  public List<Receiver> receivers() {
    return routes.values().stream().map(Route::receiver).toList();
  }

  /** The QoS with which the only route of this filter was last added. */
  public Qos maxQos(String filter) {
    return routes.values().stream()
        .filter(route -> route.filter().text().equals(filter))
        .findFirst()
        .orElseThrow()
        .options()
        .maxQos();
  }
}
