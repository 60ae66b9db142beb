package io.fjordmq.broker.simulation;

import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.Distribution;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.broker.delivery.ReceivedItems;
import io.fjordmq.broker.delivery.WillService;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.net.PlainPipeline;
import io.fjordmq.broker.net.Settings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.ServingState;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.router.Router;
import io.netty.channel.ChannelHandler;
import io.netty.channel.local.LocalAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What stands above the stores in one life of a broker, put together as {@link
 * io.fjordmq.broker.Broker} does it: delivery, sessions and connections, whose event loops are
 * events of the simulation.
 */
final class SimFront implements Brokers.Door {
  private final SimSettings settings;
  private final ServingState servingState;
  private final SimStores.Opened stores;
  private final SimStores replicas;
  private final List<SimEventLoop> loops = new ArrayList<>();
  private final Map<String, SimLink> links = new LinkedHashMap<>();
  private final CountingAllocator allocator = new CountingAllocator();
  private final SimCounters counters = new SimCounters();
  private final LocalSubscriptions live;
  private final Distribution distribution;
  private final Sessions sessions;
  private final ChannelHandler pipeline;
  private int accepted;

  SimFront(
      SimProcess process,
      SimSettings settings,
      LocalNode self,
      SimStores replicas,
      SimStores.Opened stores,
      Defect defect,
      InstantSource clock,
      ServingState servingState) {
    this.settings = settings;
    this.servingState = servingState;
    this.replicas = replicas;
    this.stores = stores;
    for (int i = 0; i < settings.eventLoops(); i++) {
      loops.add(new SimEventLoop(process));
    }
    Router router = defect.router(stores.router());
    InboxStore inboxes = defect.inboxes(stores.inboxes());
    RetainStore retained = defect.retained(stores.retained());
    this.live =
        new LocalSubscriptions(
            self, router, replicas.dispatch, settings.delivery(), DeliveryObserver.NONE);
    this.distribution =
        new Distribution(
            self,
            router,
            inboxes,
            retained,
            live,
            replicas.registry,
            replicas.dispatch,
            settings.delivery(),
            replicas.streams,
            () -> true,
            this::isServing,
            DeliveryObserver.NONE);
    PublishRouter publishRouter = defect.publisher(distribution);
    WillService wills = new WillService(publishRouter, clock);
    InboxRoutes inboxRoutes = new InboxRoutes(router, settings.delivery());
    replicas.events.connect(inboxes, wills, inboxRoutes, publishRouter);
    this.sessions =
        new Sessions(
            new SessionServices(
                Settings.forAll(settings.sessions(), counters),
                Overload.NEVER,
                new Farewells(),
                counters,
                Security.allowAll(""),
                replicas.registry,
                publishRouter,
                live,
                inboxes,
                inboxRoutes,
                retained,
                () -> true,
                clock,
                self,
                servingState));
    this.pipeline = PlainPipeline.of(sessions);
  }

  /** A client connects. */
  @Override
  public void accept(SimLink link) {
    SimEventLoop loop = loops.get(accepted++ % loops.size());
    SimChannel channel = new SimChannel(link, allocator, settings.marks());
    links.put(link.name(), link);
    link.accept(channel, loop);
    loop.execute(
        () -> {
          channel.pipeline().addLast(pipeline);
          loop.register(channel);
        });
  }

  private final class Farewells implements ClientEvents {
    @Override
    public void disconnected(Client client, CloseReason reason, long nowMillis) {
      if (reason == CloseReason.CLIENT_DISCONNECT) {
        String name = ((LocalAddress) client.peer().remote()).id();
        Objects.requireNonNull(links.get(name)).farewellTaken();
      }
    }
  }

  /** The process is dead already: clients lose their connections. */
  void crashed() {
    links.values().forEach(SimLink::serverCrashed);
  }

  /** The cluster counts the node as down: what its clients had here ends with that. */
  void countedDown() {
    links.values().forEach(SimLink::nodeCountedDown);
  }

  private boolean isServing() {
    return servingState.refusedBecause() == null;
  }

  Sessions sessions() {
    return sessions;
  }

  LocalSubscriptions live() {
    return live;
  }

  /** What other nodes bring. */
  ReceivedItems receivedItems() {
    return new ReceivedItems(
        live, replicas.dispatch, replicas.registry, replicas.events, this::isServing);
  }

  SimCounters counters() {
    return counters;
  }

  /** What is left although no client is there any more; empty if nothing is. */
  List<String> leftovers() {
    var delivery = distribution.status();
    return Stream.of(
            left("sessions", sessions.size()),
            left("registered clients", replicas.registry.size()),
            left("live filters", delivery.filters()),
            left("live routes", delivery.heldRoutes()),
            left("routes to be removed", delivery.leftoverRoutes()),
            left("waiting removals", delivery.waitingRemovals()),
            left("waiting copies", delivery.waitingCopies()),
            left("waiting bytes", delivery.waitingBytes()),
            left("slowed publishes", delivery.slowedPublishes()),
            left("inflight", counters.inflight()),
            left("queued messages", counters.queuedMessages()),
            left("queued bytes", counters.queuedBytes()),
            left("connections held back", counters.heldBack()),
            left("buffers", allocator.unreleased()),
            left("persistent sessions", stores.inboxes().status().inboxes()))
        .filter(text -> !text.isEmpty())
        .toList();
  }

  private static String left(String what, long number) {
    return number == 0 ? "" : number + " " + what;
  }
}
