package io.fjordmq.broker.simulation;

import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.InboxEventRelay;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.client.ReplicatedInboxStore;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.client.ReplicatedRetainStore;
import io.fjordmq.retain.client.RetainSweeper;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.client.ReplicatedRouteStore;
import io.fjordmq.router.client.RouteBarrier;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The three stores of one broker incarnation: first the data and events of its replicas, then, when
 * its ranges can be reached, the stores themselves.
 */
final class SimStores {
  static final List<String> NAMES =
      List.of(RouteReplicas.STORE, InboxReplicas.STORE, RetainReplicas.STORE);

  private final SimSettings settings;
  private final RouteReplicas routes;
  private final RetainReplicas retained;
  private final InboxReplicas inboxes;
  final InboxEventRelay inboxEvents = new InboxEventRelay(DeliveryObserver.NONE);

  /** Stores that can be called. */
  record OpenStores(
      ReplicatedRouteStore router,
      ReplicatedRetainStore retained,
      RetainSweeper retainSweeper,
      ReplicatedInboxStore inboxes,
      RoutedRangeClient inboxClient) {}

  SimStores(SimSettings settings, Defect defect) {
    this.settings = settings;
    this.routes = new RouteReplicas(settings.router());
    this.retained = new RetainReplicas(settings.retained());
    this.inboxes =
        new InboxReplicas(
            settings.inboxes(), defect.wrapInboxListener(inboxEvents), InboxObserver.NONE);
  }

  /** The range of this name: its store, "-", its number. */
  static RangeId range(String name) {
    int dash = name.lastIndexOf('-');
    return new RangeId(name.substring(0, dash), Long.parseLong(name.substring(dash + 1)));
  }

  List<StoreSpec> specs() {
    return List.of(routes.spec(), inboxes.spec(), retained.spec());
  }

  /** What a barrier asks whether a route is applied. */
  RouteReplicas routes() {
    return routes;
  }

  /**
   * @param clients of each store
   * @param leads whether this node leads a range
   * @param barrier null on a node that has no others
   * @param salt different in each incarnation
   */
  OpenStores open(
      Map<String, RoutedRangeClient> clients,
      Timers timers,
      InstantSource clock,
      Predicate<RangeId> leads,
      @Nullable RouteBarrier barrier,
      int salt) {
    RoutedRangeClient retainClient = Objects.requireNonNull(clients.get(RetainReplicas.STORE));
    RoutedRangeClient inboxClient = Objects.requireNonNull(clients.get(InboxReplicas.STORE));
    return new OpenStores(
        new ReplicatedRouteStore(
            Objects.requireNonNull(clients.get(RouteReplicas.STORE)), routes, barrier),
        new ReplicatedRetainStore(settings.retained(), retainClient, retained, clock),
        new RetainSweeper(retainClient, retained, clock),
        new ReplicatedInboxStore(
            inboxClient,
            inboxes,
            leads,
            settings.inboxes(),
            timers,
            clock,
            InboxObserver.NONE,
            salt),
        inboxClient);
  }
}
