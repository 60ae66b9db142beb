package io.fjordmq.broker.simulation;

import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.InboxEvents;
import io.fjordmq.broker.delivery.LiveDispatch;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.ReplicatedInboxStore;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.Timers;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.retain.RangedRetainStore;
import io.fjordmq.router.RangedRouter;
import io.fjordmq.router.RouteBarrier;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The three stores of one life of a broker: first what its replicas fill and tell, then, when its
 * ranges can be reached, the stores themselves.
 */
final class SimStores {
  static final String ROUTES = "dist";
  static final String RETAINED = "retain";
  static final List<String> NAMES = List.of(ROUTES, InboxReplicas.STORE, RETAINED);

  private final SimSettings settings;
  private final RangedRouter.Replicas routes;
  private final RangedRetainStore.Replicas retained = new RangedRetainStore.Replicas();
  private final InboxReplicas inboxes;
  final NodeStreams streams = new NodeStreams();
  final SessionRegistry registry = new SessionRegistry(streams);
  final LiveDispatch dispatch;
  final InboxEvents events;

  /** Stores that can be called. */
  record Opened(
      RangedRouter router,
      RangedRetainStore retained,
      ReplicatedInboxStore inboxes,
      RoutedRangeClient inboxClient) {}

  SimStores(SimSettings settings, LocalNode self, Defect defect) {
    this.settings = settings;
    this.routes = new RangedRouter.Replicas(settings.router());
    this.dispatch = new LiveDispatch(settings.delivery(), DeliveryObserver.NONE);
    this.events =
        new InboxEvents(
            self, registry, dispatch, settings.delivery(), streams, DeliveryObserver.NONE);
    this.inboxes =
        new InboxReplicas(settings.inboxes(), defect.listener(events), InboxObserver.NONE);
  }

  /** The range of this name: its store, "-", its number. */
  static RangeId range(String name) {
    int dash = name.lastIndexOf('-');
    return new RangeId(name.substring(0, dash), Long.parseLong(name.substring(dash + 1)));
  }

  List<StoreSpec> specs() {
    return List.of(
        RangedRouter.spec(settings.router(), routes),
        inboxes.spec(),
        RangedRetainStore.spec(settings.retained(), retained));
  }

  /** What a barrier asks whether a route is applied. */
  RangedRouter.Replicas routes() {
    return routes;
  }

  /**
   * @param clients of each store
   * @param leads whether this node leads a range
   * @param barrier null on a node that has no others
   * @param salt another one in each life
   */
  Opened open(
      Map<String, RoutedRangeClient> clients,
      Timers timers,
      InstantSource clock,
      Predicate<RangeId> leads,
      @Nullable RouteBarrier barrier,
      int salt) {
    RoutedRangeClient inboxClient = Objects.requireNonNull(clients.get(InboxReplicas.STORE));
    return new Opened(
        new RangedRouter(Objects.requireNonNull(clients.get(ROUTES)), routes, barrier),
        new RangedRetainStore(
            settings.retained(), Objects.requireNonNull(clients.get(RETAINED)), retained, clock),
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
