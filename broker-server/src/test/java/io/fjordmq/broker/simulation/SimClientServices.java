package io.fjordmq.broker.simulation;

import io.fjordmq.broker.bans.BanList;
import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.DeliveryDependencies;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.delivery.RetainedBarrier;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.events.EventsSettings;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.net.PlainPipeline;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.broker.session.ServingState;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.router.RouteStore;
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
 * The parts above the stores in one incarnation of a broker, assembled like {@link
 * io.fjordmq.broker.Broker}: delivery, sessions and connections, whose event loops are events of
 * the simulation.
 */
final class SimClientServices implements Brokers.Acceptor {
  private final SimSettings settings;
  private final ServingState servingState;
  private final SimStores.OpenStores stores;
  private final List<SimEventLoop> loops = new ArrayList<>();
  private final Map<String, SimLink> links = new LinkedHashMap<>();
  private final CountingAllocator allocator = new CountingAllocator();
  private final SimCounters counters = new SimCounters();
  private final DeliveryAssembly delivery;
  private final Sessions sessions;
  private final ChannelHandler pipeline;
  private int accepted;

  /** Whether the session that ended last ended with a DISCONNECT. */
  private boolean sentDisconnect;

  SimClientServices(
      SimProcess process,
      SimSettings settings,
      LocalNode self,
      SimStores replicas,
      SimStores.OpenStores stores,
      RetainedBarrier retainedBarrier,
      Defect defect,
      InstantSource clock,
      ServingState servingState) {
    this.settings = settings;
    this.servingState = servingState;
    this.stores = stores;
    for (int i = 0; i < settings.eventLoops(); i++) {
      loops.add(new SimEventLoop(process));
    }
    RouteStore router = defect.wrapRouteStore(stores.router());
    InboxStore inboxes =
        defect.wrapInboxStoreOfNode(
            defect.wrapInboxStore(stores.inboxes()), () -> !isServing() && !sentDisconnect);
    RetainStore retained = defect.wrapRetainStore(stores.retained());
    ClientEventLog history = new ClientEventLog(EventsSettings.DEFAULTS, clock);
    this.delivery =
        DeliveryAssembly.open(
            new DeliveryDependencies(
                self,
                settings.delivery(),
                DeliveryObserver.NONE,
                history,
                Tracer.off(),
                router,
                inboxes,
                retained,
                retainedBarrier,
                () -> true,
                this::isServing,
                clock,
                new TopicTraffic(),
                null));
    history.findConnectsIn(
        new ConnectedClients(delivery.registry())::connectEvent, () -> List.of(""));
    replicas.inboxEvents.forwardTo(delivery.inboxEvents());
    this.sessions =
        new Sessions(
            new SessionServices(
                Settings.forAll(settings.sessions(), counters),
                new DisconnectListener(),
                history,
                Tracer.off(),
                counters,
                Security.allowAll(""),
                new SessionServices.Delivery(
                    delivery.registry(),
                    defect.wrapPublishRouter(delivery.distribution()),
                    delivery.live(),
                    delivery.routes(),
                    retainedBarrier,
                    null,
                    delivery.topicTraffic()),
                inboxes,
                retained,
                new SessionServices.NodeState(
                    self, servingState, Overload.NEVER, () -> true, clock, BanList.empty()),
                SlowSubscriptions.disabled()));
    this.pipeline = PlainPipeline.of("simulated", sessions);
  }

  /** Accepts the connection of a client. */
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

  private final class DisconnectListener implements ClientEvents {
    @Override
    public void onDisconnected(Client client, CloseReason reason, long nowMillis) {
      sentDisconnect = reason == CloseReason.CLIENT_DISCONNECT_WITH_WILL;
      if (reason == CloseReason.CLIENT_DISCONNECT) {
        String name = ((LocalAddress) client.peer().remote()).id();
        Objects.requireNonNull(links.get(name)).onDisconnectProcessed();
      }
    }
  }

  /** The process has crashed: clients lose their connections. */
  void onCrash() {
    links.values().forEach(SimLink::onServerCrash);
  }

  /** The cluster has marked the node as down, which ends its client connections here. */
  void onMarkedDown() {
    links.values().forEach(SimLink::onNodeMarkedDown);
  }

  private boolean isServing() {
    return servingState.notServingReason() == null;
  }

  Sessions sessions() {
    return sessions;
  }

  DeliveryAssembly delivery() {
    return delivery;
  }

  SimCounters counters() {
    return counters;
  }

  /** Resources left although no client is connected; empty if none. */
  List<String> leftovers() {
    DeliveryStatus status = delivery.distribution().status();
    return Stream.of(
            leftoverText("sessions", sessions.size()),
            leftoverText("registered clients", delivery.registry().size()),
            leftoverText("live filters", status.filters()),
            leftoverText("live routes", status.heldRoutes()),
            leftoverText("routes to be removed", status.failedRouteRemovals()),
            leftoverText("waiting removals", status.waitingRemovals()),
            leftoverText("waiting copies", status.waitingCopies()),
            leftoverText("waiting bytes", status.waitingBytes()),
            leftoverText("slowed publishes", status.delayedPublishes()),
            leftoverText("inflight", counters.inflight()),
            leftoverText("queued messages", counters.queuedMessages()),
            leftoverText("queued bytes", counters.queuedBytes()),
            leftoverText("connections held back", counters.heldBack()),
            leftoverText("buffers", allocator.unreleased()),
            leftoverText("persistent sessions", stores.inboxes().status().inboxes()))
        .filter(text -> !text.isEmpty())
        .toList();
  }

  private static String leftoverText(String what, long number) {
    return number == 0 ? "" : number + " " + what;
  }
}
