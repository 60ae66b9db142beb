package io.fjordmq.broker.simulation;

import io.fjordmq.broker.cluster.HaltedRoutes;
import io.fjordmq.broker.cluster.RouteHealthMonitor;
import io.fjordmq.broker.cluster.Suspensions;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.RetainedBarrier;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.drain.NodeLifecycle;
import io.fjordmq.broker.nodes.NodeReceiver;
import io.fjordmq.broker.nodes.NodesObserver;
import io.fjordmq.broker.nodes.StreamLifecycle;
import io.fjordmq.broker.session.ServingState;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.cluster.membership.SimNode;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.client.InboxSweeper;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.placement.PlacementAgent;
import io.fjordmq.range.placement.PlacementDriver;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.SplitMonitor;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.sim.StoreNode;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.client.ReplicatedRouteStore;
import io.fjordmq.router.client.RouteBarrier;
import io.fjordmq.router.client.RouteObserver;
import io.fjordmq.router.client.RouteSweeper;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a node's process, from start to crash, assembled like {@link
 * io.fjordmq.broker.Broker}: membership, ranges, placement, stores, streams to other nodes,
 * delivery and sessions are the real ones; consensus, disks, calls, threads and time are not.
 */
final class SimNodeProcess {
  private static final long CHECK_MILLIS = 20;
  private static final long SWEEP_MILLIS = 500;
  private static final int CLIENTS_PER_SECOND = 20;
  private static final long ROUTES_TIMEOUT_MILLIS = 700;
  private static final long ROUTES_SUSPENSION_MILLIS = 500;

  private final ClusterSettings settings;
  private final ClusterDefect defect;
  private final SimStores replicas;
  private final LocalNode self;
  private final StoreNode.RunningNode ranges;
  private final SimProcess process;
  private final SimNode node;
  private final RangeDirectory directory = new RangeDirectory();
  private final PlacementDriver placement;
  private final SplitMonitor splitMonitor;
  private final HaltedRoutes routes;
  private final ServingState servingState;
  private SimStores.@Nullable OpenStores stores;
  private @Nullable SimClientServices clientServices;

  /**
   * @param ranges of this life, which fill the replicas
   * @param members who holds the metadata, as far as a newcomer is told
   */
  SimNodeProcess(
      ClusterSettings settings,
      ClusterDefect defect,
      SimStores replicas,
      LocalNode self,
      StoreNode.RunningNode ranges,
      ReplicaSet members,
      NodeAddress address,
      Supplier<List<StorePlacement>> placing)
      throws IOException {
    this.settings = settings;
    this.defect = defect;
    this.replicas = replicas;
    this.self = self;
    this.ranges = ranges;
    this.process = ranges.process();
    this.node =
        SimNode.start(
            ranges.host(),
            ranges.calls(),
            members,
            address,
            settings.membership(),
            defect.clockRate(ranges.host().node()),
            defect.claimsToServe());
    this.servingState = defect.servingState(membership());
    ranges.stampBy(defect.timestampSource(membership().clock(), ranges.host().machine()));
    metadata().watch(directory);
    this.splitMonitor =
        new SplitMonitor(
            ranges.store(),
            settings.wishes(),
            Set.copyOf(SimStores.NAMES),
            ClusterSettings.SPLIT_MERGE,
            () -> 0,
            ranges.runtime().timers(),
            Runnable::run,
            RangeObserver.NONE);
    this.routes =
        new HaltedRoutes(
            membership(),
            new Suspensions(membership()::suspend, membership()::resume),
            ranges.store(),
            Set.of(RouteReplicas.STORE));
    this.placement =
        new PlacementDriver(
            membership(),
            ranges.calls(),
            PlacementAgent.serve(
                ranges.store(),
                defect.wrapPeerServices(ranges.calls()),
                membership()::appliedVersion,
                splitMonitor::reports,
                defect.wrapConsent(routes)),
            metadata()::leadership,
            directory,
            ranges.runtime().timers(),
            placing,
            ClusterSettings.PLACEMENT,
            RangeObserver.NONE);
    connectWhenRangesAreKnown();
  }

  private void connectWhenRangesAreKnown() {
    if (SimStores.NAMES.stream().anyMatch(store -> directory.ranges(store).isEmpty())) {
      process.schedule(CHECK_MILLIS, this::connectWhenRangesAreKnown);
    } else {
      connect();
    }
  }

  private void connect() {
    Timers timers = ranges.runtime().timers();
    InstantSource clock = membership().clock();
    PeerServices services = defect.wrapPeerServices(ranges.calls());
    Map<String, RoutedRangeClient> clients = new HashMap<>();
    SimStores.NAMES.forEach(store -> clients.put(store, client(store, timers)));
    placement.start();
    splitMonitor.start();
    RetainedBarrier retainedBarrier =
        new RetainedBarrier(
            membership(),
            ranges.calls(),
            timers,
            settings.broker().delivery().maxRetainedWait(),
            DeliveryObserver.NONE);
    retainedBarrier.start(services);
    RouteBarrier barrier =
        new RouteBarrier(
            defect.wrapBarrierMembership(membership()),
            ranges.calls(),
            timers,
            settings.broker().router().barrier(),
            replicas.routes(),
            RouteObserver.NONE,
            retainedBarrier);
    barrier.start(services);
    int salt = process.simulation().random().nextInt();
    SimStores.OpenStores opened = replicas.open(clients, timers, clock, this::leads, barrier, salt);
    stores = opened;
    SimClientServices built =
        new SimClientServices(
            process,
            settings.broker(),
            self,
            replicas,
            opened,
            retainedBarrier,
            defect,
            clock,
            servingState);
    clientServices = built;
    new NodeReceiver(membership(), built.delivery().receivedItems(), NodesObserver.NONE)
        .start(services);
    membership()
        .watch(
            new StreamLifecycle(
                id(),
                built.delivery().streams(),
                ranges.calls(),
                timers,
                settings.nodes(),
                NodesObserver.NONE));
    membership()
        .watch(
            new NodeLifecycle(
                built.sessions(),
                built.delivery().live(),
                () -> ranges.store().catchUp(RouteReplicas.STORE),
                () -> CLIENTS_PER_SECOND,
                ranges.runtime().timers()));
    scheduleSweeps(sweeps(opened, clock));
    routes.setOverdueCheck(barrier::overdueReason);
    RouteHealthMonitor trouble =
        new RouteHealthMonitor(routes, ROUTES_TIMEOUT_MILLIS, ROUTES_SUSPENSION_MILLIS);
    runPeriodically(() -> trouble.check(timers.nowMillis()));
    membership().markReady();
  }

  private RoutedRangeClient client(String store, Timers timers) {
    RoutedRangeClient client =
        new RoutedRangeClient(
            store,
            directory.ranges(store),
            ranges.transport(),
            timers,
            settings.broker().client(),
            RangeObserver.NONE);
    directory.follow(store, client::update);
    return client;
  }

  private List<Runnable> sweeps(SimStores.OpenStores opened, InstantSource clock) {
    InboxSweeper sweeper =
        new InboxSweeper(
            opened.inboxClient(),
            () -> ledIntervals(InboxReplicas.STORE),
            (owner, life) -> !membership().members().hasEnded(new NodeId(owner), life),
            clock,
            settings.broker().inboxes(),
            InboxObserver.NONE);
    RouteSweeper stale =
        new RouteSweeper(
            opened.router(), membership()::members, () -> leadsFirstRange(RouteReplicas.STORE));
    return List.of(sweeper::sweep, opened.retainSweeper()::sweep, stale::sweep);
  }

  private void scheduleSweeps(List<Runnable> sweeps) {
    process.schedule(
        SWEEP_MILLIS,
        () -> {
          sweeps.forEach(Runnable::run);
          scheduleSweeps(sweeps);
        });
  }

  private void runPeriodically(Runnable look) {
    process.schedule(
        CHECK_MILLIS,
        () -> {
          look.run();
          runPeriodically(look);
        });
  }

  private boolean leadsFirstRange(String store) {
    return leads(directory.ranges(store).get(0).id());
  }

  private boolean leads(RangeId range) {
    return ranges.store().status().stream()
        .anyMatch(replica -> replica.leading() && replica.descriptor().id().equals(range));
  }

  private List<KeyInterval> ledIntervals(String store) {
    return ranges.store().status().stream()
        .filter(ReplicaStatus::leading)
        .map(ReplicaStatus::descriptor)
        .filter(range -> range.id().store().equals(store))
        .map(RangeDescriptor::interval)
        .toList();
  }

  // ---- for the simulation

  NodeId id() {
    return ranges.host().node();
  }

  SimProcess process() {
    return process;
  }

  StoreNode.RunningNode ranges() {
    return ranges;
  }

  ClusterMembership membership() {
    return node.membership();
  }

  MetadataGroup metadata() {
    return node.group();
  }

  RangeDirectory directory() {
    return directory;
  }

  /** Has a range split, if this node leads the metadata. */
  CompletableFuture<Void> split(RangeId range, byte[] key) {
    return placement.split(range, key);
  }

  /** Has a range take in the one that follows, if this node leads the metadata. */
  CompletableFuture<Void> merge(RangeId left) {
    return placement.merge(left);
  }

  /** Whether its sessions assume that it may serve them. */
  boolean isServing() {
    return servingState.notServingReason() == null;
  }

  /** Null until the node is connected to its ranges. */
  @Nullable ReplicatedRouteStore router() {
    return stores == null ? null : stores.router();
  }

  /** Where clients connect; null before its first admission would make sense. */
  @Nullable SimClientServices clientServices() {
    return clientServices;
  }

  /** The cluster has marked this node as down; the node may not know it yet. */
  void onMarkedDown() {
    if (clientServices != null) {
      clientServices.onMarkedDown();
    }
  }

  /** The process has crashed: clients lose their connections. */
  void onCrash() {
    if (clientServices != null) {
      clientServices.onCrash();
    }
  }
}
