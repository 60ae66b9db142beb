package io.fjordmq.broker.simulation;

import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.DeliverySettings;
import io.fjordmq.broker.delivery.Distribution;
import io.fjordmq.broker.delivery.InboxEvents;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.LiveDispatch;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.delivery.Publisher;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.delivery.WillService;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.net.PlainPipeline;
import io.fjordmq.broker.net.Settings;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.Serving;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxSweeper;
import io.fjordmq.inbox.ReplicatedInboxStore;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.Timers;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.retain.RangedRetainStore;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.router.RangedRouter;
import io.fjordmq.router.Router;
import io.netty.channel.ChannelHandler;
import io.netty.channel.local.LocalAddress;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * One life of a broker, put together as {@link io.fjordmq.broker.Broker} does it, from start to
 * crash. Its event loops, timers and stores are events of the simulation.
 */
final class SimBroker {
  private static final long SWEEP_MILLIS = 500;
  private static final long START_PAUSE_MILLIS = 20;

  private final SimProcess process;
  private final SimSettings settings;
  private final SimKv kv;
  private final RangeStore ranges;
  private final List<RoughTransport> ways = new ArrayList<>();
  private final List<SimEventLoop> loops = new ArrayList<>();
  private final Map<String, SimLink> links = new LinkedHashMap<>();
  private final CountingAllocator allocator = new CountingAllocator();
  private final SimCounters counters = new SimCounters();
  private final SessionRegistry registry = new SessionRegistry(new NodeStreams());
  private final RangedRouter router;
  private final RangedRetainStore retained;
  private final ReplicatedInboxStore inboxes;
  private final InboxSweeper sweeper;
  private final Distribution publisher;
  private final LocalNode self;
  private final Sessions sessions;
  private final ChannelHandler pipeline;
  private boolean listening;
  private int accepted;

  SimBroker(
      SimHost host,
      SimKv.Disk disk,
      InstantSource clock,
      SimSettings settings,
      long incarnation,
      Defect defect)
      throws IOException {
    this.process = host.process();
    this.settings = settings;
    this.self = new LocalNode(host.node().value(), incarnation);
    this.kv = new SimKv(disk, Runnable::run);
    for (int i = 0; i < settings.eventLoops(); i++) {
      loops.add(new SimEventLoop(process));
    }

    DeliverySettings delivery = settings.delivery();
    LiveDispatch dispatch = new LiveDispatch(delivery, DeliveryObserver.NONE);
    NodeStreams nodes = new NodeStreams();
    InboxEvents events =
        new InboxEvents(self, registry, dispatch, delivery, nodes, DeliveryObserver.NONE);
    RangedRouter.Replicas routes = new RangedRouter.Replicas(settings.router());
    RangedRetainStore.Replicas retainedReplicas = new RangedRetainStore.Replicas();
    InboxReplicas inboxReplicas =
        new InboxReplicas(settings.inboxes(), defect.listener(events), InboxObserver.NONE);
    List<StoreSpec> specs =
        List.of(
            RangedRouter.spec(settings.router(), routes),
            inboxReplicas.spec(),
            RangedRetainStore.spec(settings.retained(), retainedReplicas));
    Timers timers = SimStore.timers(process);
    this.ranges = openRanges(host, specs, clock, timers);
    this.router = new RangedRouter(client("dist", timers), routes);
    Router routing = defect.router(router);
    this.retained =
        new RangedRetainStore(
            settings.retained(), client("retain", timers), retainedReplicas, clock);
    RoutedRangeClient inboxClient = client(InboxReplicas.STORE, timers);
    this.inboxes =
        new ReplicatedInboxStore(
            inboxClient,
            inboxReplicas,
            range -> true,
            settings.inboxes(),
            timers,
            clock,
            InboxObserver.NONE,
            process.simulation().random().nextInt());
    LocalSubscriptions live =
        new LocalSubscriptions(self, routing, dispatch, delivery, DeliveryObserver.NONE);
    InboxStore served = defect.inboxes(inboxes);
    RetainStore kept = defect.retained(retained);
    this.publisher =
        new Distribution(
            self,
            routing,
            served,
            kept,
            live,
            registry,
            dispatch,
            delivery,
            nodes,
            () -> true,
            () -> true,
            DeliveryObserver.NONE);
    Publisher publishing = defect.publisher(publisher);
    WillService wills = new WillService(publishing, clock);
    InboxRoutes inboxRoutes = new InboxRoutes(routing, delivery);
    events.connect(served, wills, inboxRoutes);
    this.sweeper =
        new InboxSweeper(
            inboxClient,
            () -> inboxClient.locate(KeyInterval.ALL),
            (owner, life) -> !owner.equals(self.id()) || life >= self.incarnation(),
            clock,
            settings.inboxes(),
            InboxObserver.NONE);
    this.sessions =
        new Sessions(
            new SessionServices(
                Settings.forAll(settings.sessions(), counters),
                Overload.NEVER,
                new Farewells(),
                counters,
                Security.everyoneWelcome(""),
                registry,
                publishing,
                live,
                served,
                inboxRoutes,
                kept,
                clock,
                self,
                Serving.ALWAYS));
    this.pipeline = PlainPipeline.of(sessions);
    awaitLeading();
  }

  private RangeStore openRanges(
      SimHost host, List<StoreSpec> specs, InstantSource clock, Timers timers) throws IOException {
    NodeId node = host.node();
    RangeRuntime runtime =
        new RangeRuntime(
            clock,
            timers,
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run);
    RangeStore opened =
        RangeStore.open(node, host, kv, specs, settings.ranges(), runtime, RangeObserver.NONE);
    opened.createInitialRanges(
        specs.stream()
            .flatMap(spec -> RangeStore.initialRanges(spec, ReplicaSet.ofVoters(node)).stream())
            .toList());
    return opened;
  }

  private RoutedRangeClient client(String store, Timers timers) {
    RoughTransport way = new RoughTransport(process, ranges);
    ways.add(way);
    return new RoutedRangeClient(
        store, ranges.descriptors(store), way, timers, settings.client(), RangeObserver.NONE);
  }

  /** As at a real start: nobody may connect before the ranges are led and old routes are gone. */
  private void awaitLeading() {
    if (!ranges.status().stream().allMatch(ReplicaStatus::leading)) {
      process.schedule(START_PAUSE_MILLIS, this::awaitLeading);
      return;
    }
    router
        .removeStale(self.id(), self.incarnation())
        .whenComplete(
            (removed, fault) -> {
              if (fault == null) {
                listening = true;
                process.schedule(SWEEP_MILLIS, this::sweep);
              } else {
                process.schedule(START_PAUSE_MILLIS, this::awaitLeading);
              }
            });
  }

  private void sweep() {
    sweeper.sweep();
    retained.sweep();
    process.schedule(SWEEP_MILLIS, this::sweep);
  }

  void setFaults(RoughTransport.Faults faults) {
    ways.forEach(way -> way.setFaults(faults));
  }

  boolean isListening() {
    return listening;
  }

  /** A client connects. */
  void accept(SimLink link) {
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

  /** The process is dead already: clients lose their connections, the storage its owner. */
  void crashed() {
    links.values().forEach(SimLink::serverCrashed);
    kv.kill();
  }

  SimCounters counters() {
    return counters;
  }

  /** What is left although no client is there any more; empty if nothing is. */
  List<String> leftovers() {
    var delivery = publisher.status();
    return Stream.of(
            left("sessions", sessions.size()),
            left("registered clients", registry.size()),
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
            left("persistent sessions", inboxes.status().inboxes()))
        .filter(text -> !text.isEmpty())
        .toList();
  }

  private static String left(String what, long number) {
    return number == 0 ? "" : number + " " + what;
  }
}
