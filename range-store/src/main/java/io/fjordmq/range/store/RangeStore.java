package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All replicas on this node, of all stores.
 *
 * <p>{@link #open} opens what is on disk; {@link #createInitialRanges} is for the first start of a
 * cluster. Both block on disk I/O, as does {@link #close}; all other methods may be called from any
 * thread and do not block. The caller closes the storage and the host, after this object.
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
  private final StoredReplicas stored;
  private final ReplicaChanges moves;
  private final RebuildLimit rebuildLimit;
  private final RangeMerges merges;
  private final ReplicaParts.RangeLifecycleListener rangeLifecycleListener;
  private volatile boolean closed;

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
    this.rebuildLimit = new RebuildLimit(runtime.timers()::nowMillis, replicas::get, observer);
    this.stored = new StoredReplicas(host, kv, settings.installDirectory());
    this.moves =
        new ReplicaChanges(
            self,
            stored,
            kv,
            replicas,
            runtime.supervisor(),
            rebuildLimit,
            range -> add(spec(range.id()), range).open());
    this.merges = new RangeMerges(moves);
    this.rangeLifecycleListener = new DurableActions(kv, moves, settings, runtime, () -> closed);
    this.checkpoints =
        new CheckpointCycle(
            settings,
            runtime,
            observer,
            replicas::values,
            () -> host.failure() != null || kv.failure() != null);
  }

  /**
   * Opens all replicas on this node's disk and completes interrupted removals. A replica that
   * cannot be opened counts as halted and is retried.
   *
   * @throws IOException if the list of replicas cannot be read; no replica is open then
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
      new ReplicaOpener(
              store.stored,
              runtime.openers(),
              (spec, range) -> store.add(spec, range).openOrRetry())
          .open(stores);
      for (StoreSpec spec : stores) {
        store.moves.retire(store.stored.retired(spec.name()));
      }
    } catch (IOException | RuntimeException e) {
      store.closeReplicas();
      throw e;
    }
    store.checkpoints.start();
    LOG.info("Ranges opened node={} replicas={}", self, store.replicas.size());
    return store;
  }

  /**
   * The initial ranges of a store in a new cluster: its whole key space, split where its spec says.
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
   * Creates and opens this node's replicas of the initial ranges; existing ones are left alone, so
   * calling it again repairs an interrupted call. Every member must call it with the same
   * descriptors, and only while the cluster is created: a replica that is created again after its
   * state was lost would vote for a log that it no longer has.
   *
   * @throws IOException if a replica cannot be created or opened
   */
  public void createInitialRanges(List<RangeDescriptor> ranges) throws IOException {
    List<RangeDescriptor> missing = new ArrayList<>();
    for (RangeDescriptor range : ranges) {
      boolean member =
          range.replicas().voters().contains(self) || range.replicas().learners().contains(self);
      if (member && !replicas.containsKey(range.id()) && !stored.isAbsorbed(range.id())) {
        missing.add(range);
      }
    }
    for (RangeDescriptor range : missing) {
      spec(range.id()); // rejects an unknown store
      stored.createFirst(range);
    }
    // The log may be truncated only when the descriptor that leads to it is on disk.
    stored.flush();
    for (RangeDescriptor range : missing) {
      add(spec(range.id()), range).open();
    }
  }

  /**
   * Creates and opens an empty replica, which votes for others but cannot be elected until the
   * group adds this node and brings it up to date. Does nothing if there is a replica. Fails with
   * {@link IOException}, {@link IllegalArgumentException} or {@link IllegalStateException}.
   *
   * @param range descriptor with the replicas that the group has now, without this node: a replica
   *     that the group already counts must bring its log back, not start again without it
   */
  public CompletableFuture<Void> ensureReplica(RangeDescriptor range) {
    return moves.ensure(range);
  }

  /**
   * Closes a replica and removes its log and rows; its range is then {@link #retired} here. Does
   * nothing if there is none. Fails with {@link IOException}, or {@link IllegalStateException} if
   * this node knows that the replica is needed.
   *
   * @param asOfIndex log index as of which the group no longer counts this node
   */
  public CompletableFuture<Void> dropReplica(RangeId id, long asOfIndex) {
    return moves.drop(id, asOfIndex);
  }

  /**
   * Allows a replica of the range here again, since no other replica still counts this node. Does
   * nothing if none was dropped. Fails with {@link IOException}.
   */
  public CompletableFuture<Void> forgetReplica(RangeId id) {
    return moves.forget(id);
  }

  /** Limits the replacement of broken replicas by empty ones. */
  public RebuildLimit rebuildLimit() {
    return rebuildLimit;
  }

  /**
   * Ranges whose replica was removed here and that cannot have a new one before it is forgotten.
   */
  public Set<RangeId> retired() {
    return moves.retired();
  }

  /**
   * Changes the members of a group whose leader is on this node. Two equal sets confirm that the
   * group has agreed. Fails with {@link ConsensusException} or {@link IllegalStateException}.
   */
  public CompletableFuture<Void> changeReplicas(RangeId id, ReplicaSet from, ReplicaSet to) {
    return moves.change(id, from, to);
  }

  /** Transfers leadership from this node to another voter. Fails like {@link #changeReplicas}. */
  public CompletableFuture<Void> transferLeadership(RangeId id, NodeId target) {
    return moves.transfer(id, target);
  }

  /**
   * Splits a range whose leader is on this node (decision 0025). Completes when this replica has
   * applied the split durably; the others follow. Fails with {@link IllegalArgumentException} or
   * {@link IllegalStateException} if it is not possible, {@link KvException} if it is not durable.
   *
   * @param epochVersion version of the range that the request is based on; another one is not split
   * @param key first key of the new range, where the store may be {@linkplain StoreSpec#cuts cut}
   * @param number number of the new range; never used for any other
   */
  public CompletableFuture<Void> split(RangeId id, long epochVersion, byte[] key, long number) {
    return Arrays.equals(spec(id).cuts().apply(key), key)
        ? moves.split(id, epochVersion, key, number)
        : CompletableFuture.failedFuture(
            new IllegalArgumentException(
                "store " + id.store() + " cannot be cut at " + HexFormat.of().formatHex(key)));
  }

  /** The steps that merge two ranges. */
  public RangeMerges merges() {
    return merges;
  }

  /** The sizes of the ranges. */
  public RangeSizes sizes() {
    return new RangeSizes(kv, specs, runtime.queries());
  }

  private StoreSpec spec(RangeId id) {
    StoreSpec spec = specs.get(id.store());
    if (spec == null) {
      throw new IllegalArgumentException("this node has no store '" + id.store() + "'");
    }
    return spec;
  }

  private SupervisedReplica add(StoreSpec spec, RangeDescriptor descriptor) {
    ReplicaParts parts =
        new ReplicaParts(
            self,
            kv,
            settings,
            runtime,
            observer,
            new ReplicaLoad(),
            spec.effects(),
            host,
            rangeLifecycleListener,
            rebuildLimit,
            this::onHalted);
    SupervisedReplica replica =
        new SupervisedReplica(descriptor, spec, kv.space(spec.name()), host, parts);
    replicas.put(descriptor.id(), replica);
    return replica;
  }

  private void onHalted(RangeId id) {
    SupervisedReplica replica = replicas.get(id);
    if (replica != null) {
      runtime.supervisor().execute(replica::reopenLater);
    }
  }

  /** The ranges of a store that have a replica on this node, in key order. */
  public List<RangeDescriptor> descriptors(String store) {
    return replicas.values().stream()
        .map(SupervisedReplica::descriptor)
        .filter(descriptor -> descriptor.id().store().equals(store))
        .sorted((a, b) -> Arrays.compareUnsigned(a.interval().start(), b.interval().start()))
        .toList();
  }

  /**
   * Completes once replicas of this node that together hold the whole key space of a store have
   * applied everything that was committed in any of its ranges at the time of the call. Fails with
   * {@link ConsensusException} or {@link IllegalStateException} if some keys have no such replica.
   */
  public CompletableFuture<Void> catchUp(String store) {
    return new CatchUp(store, replicas).begin();
  }

  /** Number of replicas on this node, of all stores. */
  public int size() {
    return replicas.size();
  }

  /** The status of every replica. */
  public List<ReplicaStatus> status() {
    return replicas.values().stream().map(SupervisedReplica::status).toList();
  }

  /**
   * The load of the ranges that this node leads, by store and key. Call it once a second, on one
   * thread; nothing is measured before the first call.
   *
   * @param nanos time since the previous call
   * @param idleWindow window in which ranges are found to be idle; must not change
   */
  public List<LedRange> measure(long nanos, Duration idleWindow) {
    return replicas.values().stream()
        .map(replica -> replica.measure(nanos, idleWindow))
        .flatMap(Stream::ofNullable)
        .sorted(LedRange.ORDER)
        .toList();
  }

  /** Makes everything applied so far durable, so that the logs can be truncated. */
  public CompletableFuture<Void> checkpoint() {
    return CompletableFuture.supplyAsync(checkpoints::run, runtime.supervisor())
        .thenCompose(done -> done);
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    RangeReplica replica = servedBy(node, range, entry, reply);
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
    RangeReplica replica = servedBy(node, range, null, reply);
    if (replica != null) {
      replica.query(epochVersion, leastIndex, query, reply);
    }
  }

  /** The open replica of the range; null after answering the request if there is none. */
  private @Nullable RangeReplica servedBy(
      NodeId node, RangeId range, byte @Nullable [] entry, Consumer<RangeResult> reply) {
    if (!node.equals(self)) {
      String elsewhere = "range %s is led by %s; this node (%s) has no connection to other nodes";
      reply.accept(new RangeResult.Unavailable(elsewhere.formatted(range, node, self)));
      return null;
    }
    SupervisedReplica supervised = replicas.get(range);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    if (replica == null) {
      RangeResult merged = stored.answerOfAbsorbed(range, entry);
      String none = "node " + self + " has no open replica of range " + range;
      reply.accept(merged != null ? merged : new RangeResult.Unavailable(none));
    }
    return replica;
  }

  /** Closes the replicas; what they applied stays in the storage, which flushes when it closes. */
  @Override
  public void close() {
    CompletableFuture.runAsync(this::closeReplicas, runtime.supervisor()).join();
    LOG.info("Ranges closed node={}", self);
  }

  private void closeReplicas() {
    closed = true;
    moves.stop();
    checkpoints.stop();
    replicas.values().forEach(SupervisedReplica::close);
  }
}
