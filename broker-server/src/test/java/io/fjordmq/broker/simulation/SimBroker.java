package io.fjordmq.broker.simulation;

import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.session.ServingState;
import io.fjordmq.broker.testing.TestRetainedBarrier;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.client.InboxSweeper;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.sim.SimStore;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One incarnation of a standalone broker, from start to crash; all its ranges have one voter. */
final class SimBroker {
  private static final long SWEEP_MILLIS = 500;
  private static final long START_PAUSE_MILLIS = 20;

  private final SimProcess process;
  private final SimSettings settings;
  private final SimKv kv;
  private final RangeStore ranges;
  private final List<UnreliableTransport> transports = new ArrayList<>();
  private final LocalNode self;
  private final SimStores.OpenStores stores;
  private final SimClientServices clientServices;
  private final InboxSweeper sweeper;
  private boolean listening;

  SimBroker(
      SimHost host,
      SimKv.Disk disk,
      Path installs,
      InstantSource clock,
      SimSettings settings,
      long incarnation,
      Defect defect)
      throws IOException {
    this.process = host.process();
    this.settings = settings;
    this.self = new LocalNode(host.node().value(), incarnation);
    this.kv = new SimKv(disk, Runnable::run);
    SimStores replicas = new SimStores(settings, defect);
    Timers timers = SimStore.timers(process);
    this.ranges = openRanges(host, installs, replicas.specs(), clock, timers);
    this.stores =
        replicas.open(
            SimStores.NAMES.stream()
                .collect(Collectors.toMap(Function.identity(), store -> client(store, timers))),
            timers,
            clock,
            range -> true,
            null,
            process.simulation().random().nextInt());
    this.clientServices =
        new SimClientServices(
            process,
            settings,
            self,
            replicas,
            stores,
            TestRetainedBarrier.create(),
            defect,
            clock,
            ServingState.ALWAYS);
    this.sweeper =
        new InboxSweeper(
            stores.inboxClient(),
            () -> stores.inboxClient().locate(KeyInterval.ALL),
            (owner, life) -> !owner.equals(self.id()) || life >= self.incarnation(),
            clock,
            settings.inboxes(),
            InboxObserver.NONE);
    awaitLeading();
  }

  private RangeStore openRanges(
      SimHost host, Path installs, List<StoreSpec> specs, InstantSource clock, Timers timers)
      throws IOException {
    NodeId node = host.node();
    RangeRuntime runtime =
        new RangeRuntime(
            clock,
            timers,
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run,
            Runnable::run);
    RangeStore opened =
        RangeStore.open(
            node, host, kv, specs, installs, settings.ranges(), runtime, RangeObserver.NONE);
    opened.createInitialRanges(
        specs.stream()
            .flatMap(spec -> spec.initialRanges(ReplicaSet.ofVoters(node)).stream())
            .toList());
    return opened;
  }

  private RoutedRangeClient client(String store, Timers timers) {
    UnreliableTransport way = new UnreliableTransport(process, ranges.transport());
    transports.add(way);
    return new RoutedRangeClient(
        store, ranges.descriptors(store), way, timers, settings.client(), RangeObserver.NONE);
  }

  /** As at a real start: nobody may connect before the ranges are led and old routes are gone. */
  private void awaitLeading() {
    if (!ranges.status().stream().allMatch(ReplicaStatus::leading)) {
      process.schedule(START_PAUSE_MILLIS, this::awaitLeading);
      return;
    }
    stores
        .router()
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
    stores.retainSweeper().sweep();
    process.schedule(SWEEP_MILLIS, this::sweep);
  }

  void setFaults(UnreliableTransport.Faults faults) {
    transports.forEach(way -> way.setFaults(faults));
  }

  boolean isListening() {
    return listening;
  }

  SimClientServices clientServices() {
    return clientServices;
  }

  /** The process is dead already: clients lose their connections, the storage its owner. */
  void onCrash() {
    clientServices.onCrash();
    kv.kill();
  }

  List<String> leftovers() {
    return clientServices.leftovers();
  }

  SimCounters counters() {
    return clientServices.counters();
  }
}
