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
  private final Map<Key, Route> counting = new LinkedHashMap<>();
  private final Map<Key, Integer> changes = new HashMap<>();
  private final BiPredicate<NodeId, Long> isEnded;
  private long answered;

  private record Key(String tenant, TopicFilter filter, Receiver receiver) {
    static Key of(Route route) {
      return new Key(route.tenant(), route.filter(), route.receiver());
    }
  }

  /**
   * @param over whether an incarnation of a node has ended
   */
  RouteInvariant(BiPredicate<NodeId, Long> over) {
    this.isEnded = over;
  }

  /** A node's router, as whoever waits for its answers sees it. */
  RouteStore watched(RouteStore router) {
    RouteStore adding = Defect.changed(RouteStore.class, router, "add", this::add);
    return Defect.changed(RouteStore.class, adding, "remove", this::remove);
  }

  private Object add(Defect.Call call, Object... arguments) {
    Route route = (Route) arguments[0];
    Key key = Key.of(route);
    int change = begin(key);
    CompletableFuture<?> added =
        (CompletableFuture<?>) Objects.requireNonNull(call.make((Object[]) arguments));
    return added.thenRun(
        () -> {
          if (Objects.equals(changes.get(key), change)) {
            counting.put(key, route);
            answered++;
          }
        });
  }

  private Object remove(Defect.Call call, Object... arguments) {
    begin(Key.of((Route) arguments[0]));
    return Objects.requireNonNull(call.make((Object[]) arguments));
  }

  private int begin(Key key) {
    counting.remove(key);
    return changes.merge(key, 1, Integer::sum);
  }

  /** Route changes acknowledged so far. */
  long answered() {
    return answered;
  }

  /**
   * @param router of a serving node
   */
  void check(NodeId node, ReplicatedRouteStore router) {
    counting
        .values()
        .removeIf(
            route ->
                route.receiver() instanceof Receiver.Live live
                    && isEnded.test(new NodeId(live.node()), live.incarnation()));
    for (Route route : counting.values()) {
      if (!router.has(route)) {
        throw new AssertionError(node + " serves and does not match " + route);
      }
    }
  }
}
