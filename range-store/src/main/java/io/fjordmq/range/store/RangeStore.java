package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All replicas that this node holds, of all stores.
 *
 * <p>{@link #open} brings back what is on disk; {@link #createInitialRanges} is for the first start
 * of a cluster. Both block on disk I/O, as does {@link #close}; everything else may be called from
 * any thread and does not block. The storage and the host given to it stay the caller's to close,
 * after this.
 */
public final class RangeStore implements RangeTransport, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RangeStore.class);

  private final NodeId self;
  private final ConsensusHost host;
  private final Kv kv;
  private final RangeStoreSettings settings;
  private final RangeRuntime runtime;
  private final RangeObserver observer;
  private final Map<String, StoreSpec> specs = new LinkedHashMap<>();
  private final Map<RangeId, SupervisedReplica> replicas =
      new ConcurrentSkipListMap<>(
          Comparator.comparing(RangeId::store).thenComparingLong(RangeId::number));
  private final CheckpointCycle checkpoints;

  private RangeStore(
      NodeId self,
      ConsensusHost host,
      Kv kv,
      List<StoreSpec> stores,
      RangeStoreSettings settings,
      RangeRuntime runtime,
      RangeObserver observer) {
    this.self = self;
    this.host = host;
    this.kv = kv;
    this.settings = settings;
    this.runtime = runtime;
    this.observer = observer;
    stores.forEach(spec -> specs.put(spec.name(), spec));
    this.checkpoints =
        new CheckpointCycle(
            settings,
            runtime,
            observer,
            replicas::values,
            () -> host.failure() != null || kv.failure() != null);
  }

  /**
   * Opens every replica whose descriptor is on this node's disk.
   *
   * @throws IOException if one cannot be opened; none is open then
   */
  public static RangeStore open(
      NodeId self,
      ConsensusHost host,
      Kv kv,
      List<StoreSpec> stores,
      RangeStoreSettings settings,
      RangeRuntime runtime,
      RangeObserver observer)
      throws IOException {
    RangeStore store = new RangeStore(self, host, kv, stores, settings, runtime, observer);
    try {
      for (StoreSpec spec : stores) {
        KvSpace space = kv.space(spec.name());
        for (byte[] row : RangeKeys.descriptors(space.latest())) {
          store.openReplica(spec, RangeDescriptorCodec.decode(row));
        }
      }
    } catch (IOException | RuntimeException e) {
      store.closeReplicas();
      throw e;
    }
    store.checkpoints.start();
    LOG.info("ranges open: node={} replicas={}", self, store.replicas.size());
    return store;
  }

  /**
   * The ranges that a store begins with in a new cluster: its whole key space, cut where its spec
   * says.
   */
  public static List<RangeDescriptor> initialRanges(StoreSpec spec, ReplicaSet members) {
    List<RangeDescriptor> ranges = new ArrayList<>();
    byte[] start = new byte[0];
    List<byte[]> cuts = spec.initialSplitKeys();
    for (int i = 0; i <= cuts.size(); i++) {
      byte[] end = i < cuts.size() ? cuts.get(i) : null;
      RangeId id = new RangeId(spec.name(), i + 1L);
      ranges.add(new RangeDescriptor(id, new KeyInterval(start, end), RangeEpoch.FIRST, members));
      start = end == null ? start : end;
    }
    return ranges;
  }

  /**
   * Creates and opens this node's replicas of initial ranges; those that exist are left alone, so a
   * crash in between is repaired by calling it again. Every member must do this with the same
   * descriptors, and only in the first life of the cluster: a replica created again after its state
   * was lost would vote for a log that it no longer has.
   *
   * @throws IOException if a replica cannot be created or opened
   */
  public void createInitialRanges(List<RangeDescriptor> ranges) throws IOException {
    List<RangeDescriptor> missing = new ArrayList<>();
    for (RangeDescriptor range : ranges) {
      boolean member =
          range.replicas().voters().contains(self) || range.replicas().learners().contains(self);
      if (member && !replicas.containsKey(range.id())) {
        missing.add(range);
      }
    }
    for (RangeDescriptor range : missing) {
      createReplica(range);
    }
    // The log may be cut only when the descriptor that leads to it is on disk.
    kv.flush().join();
    for (RangeDescriptor range : missing) {
      openReplica(spec(range.id()), range);
    }
  }

  private void createReplica(RangeDescriptor range) throws IOException {
    try {
      host.create(range.group(), range.replicas());
    } catch (ConsensusException e) {
      throw new IOException("cannot create the group of range " + range.id(), e);
    }
    KvBatch batch = new KvBatch();
    RangeState.create(range, batch);
    kv.space(spec(range.id()).name()).write(batch);
    LOG.info("range {} created: interval={}", range.id(), range.interval());
  }

  private StoreSpec spec(RangeId id) {
    StoreSpec spec = specs.get(id.store());
    if (spec == null) {
      throw new IllegalArgumentException("this node has no store '" + id.store() + "'");
    }
    return spec;
  }

  private void openReplica(StoreSpec spec, RangeDescriptor descriptor) throws IOException {
    RangeReplica.Parts parts =
        new RangeReplica.Parts(kv, settings, runtime, observer, spec.effects(), this::onHalted);
    SupervisedReplica replica =
        new SupervisedReplica(descriptor, spec, kv.space(spec.name()), host, parts);
    replicas.put(descriptor.id(), replica);
    replica.open();
  }

  private void onHalted(RangeId id) {
    SupervisedReplica replica = replicas.get(id);
    if (replica != null) {
      runtime.supervisor().execute(replica::reopenLater);
    }
  }

  /** The ranges of a store that this node has a replica of, in key order. */
  public List<RangeDescriptor> descriptors(String store) {
    return replicas.values().stream()
        .map(SupervisedReplica::descriptor)
        .filter(descriptor -> descriptor.id().store().equals(store))
        .sorted((a, b) -> Arrays.compareUnsigned(a.interval().start(), b.interval().start()))
        .toList();
  }

  /** Figures of every replica. */
  public List<ReplicaStatus> status() {
    return replicas.values().stream().map(SupervisedReplica::status).toList();
  }

  /** Makes everything applied so far durable and lets the logs drop it. */
  public CompletableFuture<Void> checkpoint() {
    return CompletableFuture.supplyAsync(checkpoints::run, runtime.supervisor())
        .thenCompose(done -> done);
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    RangeReplica replica = servedBy(node, range, reply);
    if (replica != null) {
      replica.propose(entry, reply);
    }
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long leastIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    RangeReplica replica = servedBy(node, range, reply);
    if (replica != null) {
      replica.query(epochVersion, leastIndex, query, reply);
    }
  }

  /** The replica asked for, or null after saying why there is none. */
  private @Nullable RangeReplica servedBy(NodeId node, RangeId range, Consumer<RangeResult> reply) {
    if (!node.equals(self)) {
      reply.accept(
          new RangeResult.Unavailable(
              "range "
                  + range
                  + " is led by node "
                  + node
                  + ", and this node ("
                  + self
                  + ") has no connection to other nodes"));
      return null;
    }
    SupervisedReplica supervised = replicas.get(range);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    if (replica == null) {
      reply.accept(
          new RangeResult.Unavailable("node " + self + " has no open replica of range " + range));
    }
    return replica;
  }

  /** Closes the replicas; what they applied stays in the storage, which flushes when it closes. */
  @Override
  public void close() {
    onSupervisor(this::closeReplicas);
    LOG.info("ranges closed: node={}", self);
  }

  private void onSupervisor(Runnable task) {
    CompletableFuture.runAsync(task, runtime.supervisor()).join();
  }

  private void closeReplicas() {
    checkpoints.stop();
    replicas.values().forEach(SupervisedReplica::close);
  }
}
