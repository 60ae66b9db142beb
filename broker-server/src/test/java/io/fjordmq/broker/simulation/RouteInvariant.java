package io.fjordmq.broker.simulation;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteStore;
import io.fjordmq.router.client.ReplicatedRouteStore;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;

/**
 * No route is lost: after its addition is acknowledged, every serving node matches it until a
 * removal or change is requested, or the incarnation it leads to has ended.
 */
final class RouteInvariant {
  private final Map<Key, Route> acknowledgedRoutes = new LinkedHashMap<>();
  private final Map<Key, Integer> changes = new HashMap<>();
  private final BiPredicate<NodeId, Long> isEnded;

  /** By node. A check that would repeat the latest one is skipped, because checks are expensive. */
  private final Map<NodeId, Checked> latestChecks = new HashMap<>();

  private long acknowledgedChanges;

  private record Key(String tenant, TopicFilter filter, Receiver receiver) {
    static Key of(Route route) {
      return new Key(route.tenant(), route.filter(), route.receiver());
    }
  }

  /**
   * What a check depends on. Routes that are no longer acknowledged cannot make it fail.
   *
   * @param routerChanges of the node's routes
   * @param acknowledgedChanges of this object
   */
  private record Checked(
      ReplicatedRouteStore router, long routerChanges, long acknowledgedChanges) {}

  /**
   * @param over whether an incarnation of a node has ended
   */
  RouteInvariant(BiPredicate<NodeId, Long> over) {
    this.isEnded = over;
  }

  /** Wraps a node's route store to track acknowledged route changes. */
  RouteStore wrap(RouteStore router) {
    RouteStore adding = Defect.replaceMethod(RouteStore.class, router, "add", this::add);
    return Defect.replaceMethod(RouteStore.class, adding, "remove", this::remove);
  }

  private Object add(Defect.Call call, Object... arguments) {
    Route route = (Route) arguments[0];
    Key key = Key.of(route);
    int change = beginChange(key);
    CompletableFuture<?> added =
        (CompletableFuture<?>) Objects.requireNonNull(call.invoke((Object[]) arguments));
    return added.thenRun(
        () -> {
          if (Objects.equals(changes.get(key), change)) {
            acknowledgedRoutes.put(key, route);
            acknowledgedChanges++;
          }
        });
  }

  private Object remove(Defect.Call call, Object... arguments) {
    beginChange(Key.of((Route) arguments[0]));
    return Objects.requireNonNull(call.invoke((Object[]) arguments));
  }

  private int beginChange(Key key) {
    acknowledgedRoutes.remove(key);
    return changes.merge(key, 1, Integer::sum);
  }

  /** Route changes acknowledged so far. */
  long acknowledgedChanges() {
    return acknowledgedChanges;
  }

  /**
   * @param router of a serving node
   */
  void check(NodeId node, ReplicatedRouteStore router) {
    Checked now = new Checked(router, router.changes(), acknowledgedChanges);
    if (now.equals(latestChecks.put(node, now))) {
      return;
    }
    acknowledgedRoutes
        .values()
        .removeIf(
            route ->
                route.receiver() instanceof Receiver.Live live
                    && isEnded.test(new NodeId(live.node()), live.incarnation()));
    for (Route route : acknowledgedRoutes.values()) {
      if (!router.has(route)) {
        throw new AssertionError(node + " serves and does not match " + route);
      }
    }
  }
}
