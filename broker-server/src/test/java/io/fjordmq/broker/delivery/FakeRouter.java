package io.fjordmq.broker.delivery;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.MatchedRoutes.InboxMatch;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.Router;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A router that keeps its routes in a map and tries each one. Its calls take effect at once, when
 * the test says so ({@link #hold}), or on an executor; two calls for one route at the same time are
 * a fault.
 */
final class FakeRouter implements Router {

  private record Key(String tenant, String filter, Receiver receiver) {}

  private record Held(Runnable effect, CompletableFuture<Void> done) {}

  private final Map<Key, Route> routes = new TreeMap<>(FakeRouter::compare);
  private final Set<Key> busy = ConcurrentHashMap.newKeySet();
  private final List<Held> held = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();
  private boolean holding;
  private @Nullable RuntimeException failure;
  private @Nullable Executor executor;

  @Override
  public CompletableFuture<Void> add(Route route) {
    return call("add ", route, () -> routes.put(keyOf(route), route));
  }

  @Override
  public synchronized boolean has(Route route) {
    return route.equals(routes.get(keyOf(route)));
  }

  @Override
  public CompletableFuture<Void> remove(Route route) {
    return call("remove ", route, () -> routes.remove(keyOf(route)));
  }

  @Override
  public CompletableFuture<Integer> removeStale(String node, long incarnation) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized MatchedRoutes match(String tenant, Topic topic, IntConsumer visited) {
    List<Receiver.Live> nodes = new ArrayList<>();
    Map<Receiver.Inbox, List<Route>> inboxes = new LinkedHashMap<>();
    Map<String, List<Route>> shares = new LinkedHashMap<>();
    for (Route route : routes.values()) {
      if (!route.tenant().equals(tenant) || !route.filter().matches(topic)) {
        continue;
      }
      if (route.filter().isShared()) {
        shares.computeIfAbsent(route.filter().text(), s -> new ArrayList<>()).add(route);
      } else if (route.receiver() instanceof Receiver.Inbox inbox) {
        inboxes.computeIfAbsent(inbox, i -> new ArrayList<>()).add(route);
      } else if (route.receiver() instanceof Receiver.Live live && !nodes.contains(live)) {
        nodes.add(live);
      }
    }
    return new MatchedRoutes(
        nodes,
        inboxes.entrySet().stream().map(e -> new InboxMatch(e.getKey(), e.getValue())).toList(),
        shares.values().stream().map(FakeRouter::shareOf).toList());
  }

  /** From now on calls wait for {@link #releaseOne}. */
  void hold() {
    holding = true;
  }

  /** Lets the oldest waiting call take effect. */
  void releaseOne() {
    Held next = held.remove(0);
    next.effect.run();
    next.done.complete(null);
  }

  /** Lets the oldest waiting call fail. */
  void failOne(RuntimeException fault) {
    held.remove(0).done.completeExceptionally(fault);
  }

  /** All calls fail until this is called with null. */
  void failWith(@Nullable RuntimeException fault) {
    failure = fault;
  }

  /** Calls take effect and complete on this executor. */
  void runOn(Executor executor) {
    this.executor = executor;
  }

  int heldCalls() {
    return held.size();
  }

  /** What was called so far, e.g. {@code add a/+}. */
  List<String> calls() {
    return calls;
  }

  synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  synchronized List<String> filters() {
    return routes.values().stream().map(route -> route.filter().text()).toList();
  }

  /** Of each route. */
  synchronized List<Receiver> receivers() {
    return routes.values().stream().map(Route::receiver).toList();
  }

  /** With which QoS the one route of this filter was added last. */
  synchronized Qos maxQos(String filter) {
    return routes.values().stream()
        .filter(route -> route.filter().text().equals(filter))
        .findFirst()
        .orElseThrow()
        .options()
        .maxQos();
  }

  private CompletableFuture<Void> call(String name, Route route, Runnable change) {
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    Key key = keyOf(route);
    CompletableFuture<Void> done = new CompletableFuture<>();
    Runnable effect =
        () -> {
          synchronized (this) {
            change.run();
          }
          busy.remove(key);
        };
    synchronized (this) {
      calls.add(name + route.filter().text());
      if (!busy.add(key)) {
        faults.add(name + route + " while another call for it is under way");
      }
    }
    if (holding) {
      held.add(new Held(effect, done));
    } else if (executor != null) {
      executor.execute(
          () -> {
            effect.run();
            done.complete(null);
          });
    } else {
      effect.run();
      done.complete(null);
    }
    return done;
  }

  private static ShareMatch shareOf(List<Route> members) {
    var filter = members.get(0).filter();
    return new ShareMatch(String.valueOf(filter.shareName()), filter.pattern(), members);
  }

  private static Key keyOf(Route route) {
    return new Key(route.tenant(), route.filter().text(), route.receiver());
  }

  private static int compare(Key a, Key b) {
    return a.toString().compareTo(b.toString());
  }
}
