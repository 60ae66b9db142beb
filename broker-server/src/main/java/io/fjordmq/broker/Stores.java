package io.fjordmq.broker;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replicated stores of this node on the range engine, and a client for each. */
final class Stores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Stores.class);

  private final RangeStore ranges;
  private final Map<String, RoutedRangeClient> clients = new HashMap<>();

  private Stores(RangeStore ranges) {
    this.ranges = ranges;
  }

  /**
   * Opens the ranges, creating them in the first life of the cluster, and waits until this node
   * leads them. Blocks.
   */
  static Stores open(
      ClusterNode node,
      ConsensusHost host,
      Kv kv,
      List<StoreSpec> specs,
      BrokerConfig config,
      Path installDirectory,
      RangeRuntime runtime,
      RangeObserver observer)
      throws IOException, StartException {
    NodeId self = node.identity().node();
    RangeStore ranges =
        RangeStore.open(
            self,
            host,
            kv,
            specs,
            config.rangeConfig().replicas(installDirectory),
            runtime,
            observer);
    Stores stores = new Stores(ranges);
    try {
      stores.createIfNew(node, specs);
      stores.awaitLeading(config.storeConfig().leaderTimeout());
      for (StoreSpec spec : specs) {
        stores.clients.put(
            spec.name(),
            new RoutedRangeClient(
                spec.name(),
                ranges.descriptors(spec.name()),
                ranges,
                runtime.timers(),
                config.rangeClientConfig(),
                observer));
      }
      return stores;
    } catch (IOException | StartException | RuntimeException e) {
      stores.close();
      throw e;
    }
  }

  private void createIfNew(ClusterNode node, List<StoreSpec> specs)
      throws IOException, StartException {
    if (node.ranges().isEmpty()) {
      List<RangeDescriptor> initial = new ArrayList<>();
      for (StoreSpec spec : specs) {
        initial.addAll(RangeStore.initialRanges(spec, ReplicaSet.ofVoters(node.identity().node())));
      }
      ranges.createInitialRanges(initial);
      node.recordRanges(initial);
      return;
    }
    for (RangeDescriptor expected : node.ranges()) {
      boolean held =
          ranges.descriptors(expected.id().store()).stream()
              .anyMatch(descriptor -> descriptor.id().equals(expected.id()));
      if (!held) {
        throw new StartException(
            "range "
                + expected.id()
                + " is missing from the data directory: part of it was lost; restore it from a backup");
      }
    }
  }

  private void awaitLeading(Duration patience) throws StartException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!notLed().isEmpty()) {
      if (System.nanoTime() > deadline) {
        throw new StartException(
            "ranges without a leader after "
                + patience.toSeconds()
                + " s: "
                + notLed()
                + "; the log says why");
      }
      LockSupport.parkNanos(1_000_000);
    }
    LOG.info("ranges led by this node: {}", ranges.status().size());
  }

  /** Ranges that nobody serves right now, each with why. */
  List<String> notLed() {
    List<String> problems = new ArrayList<>();
    for (ReplicaStatus replica : ranges.status()) {
      if (!replica.leading()) {
        String failure = replica.failure();
        problems.add(
            "range "
                + replica.descriptor().id()
                + (failure == null ? " has no leader" : " is halted: " + failure));
      }
    }
    return problems;
  }

  RoutedRangeClient client(String store) {
    RoutedRangeClient client = clients.get(store);
    if (client == null) {
      throw new IllegalArgumentException("no store " + store);
    }
    return client;
  }

  /** Figures of the clients, by store. */
  Map<String, ClientStatus> clientStatus() {
    Map<String, ClientStatus> figures = new HashMap<>();
    clients.forEach((store, client) -> figures.put(store, client.status()));
    return figures;
  }

  RangeStore ranges() {
    return ranges;
  }

  @Override
  public void close() {
    clients.values().forEach(RoutedRangeClient::close);
    ranges.close();
  }
}
