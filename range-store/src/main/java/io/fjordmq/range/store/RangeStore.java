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
  private final StoredReplicas stored;
  private final ReplicaMoves moves;
  private final RebuildLimit rebuildLimit;
  private final RangeMerges merges;
  private final ReplicaParts.Births births;
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
        new ReplicaMoves(
            self,
            stored,
            kv,
            replicas,
            runtime.supervisor(),
            rebuildLimit,
            range -> add(spec(range.id()), range).open());
    this.merges = new RangeMerges(moves);
    this.births = new DurableActions(kv, moves, settings, runtime, () -> closed);
    this.checkpoints =
        new CheckpointCycle(
            settings,
            runtime,
            observer,
            replicas::values,
            () -> host.failure() != null || kv.failure() != null);
  }

  /**
   * Opens every replica whose descriptor is on this node's disk, and removes those whose removal a
   * crash cut short. One that cannot be opened is halted and tried again like any other.
   *
   * @throws IOException if it cannot be found out which there are; none is open then
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
      if (member && !replicas.containsKey(range.id()) && !stored.isAbsorbed(range.id())) {
        missing.add(range);
      }
    }
    for (RangeDescriptor range : missing) {
      spec(range.id()); // refuses a store that is none of ours
      stored.createFirst(range);
    }
    // The log may be cut only when the descriptor that leads to it is on disk.
    stored.flush();
    for (RangeDescriptor range : missing) {
      add(spec(range.id()), range).open();
    }
  }

  /**
   * Creates and opens an empty replica, which votes for others and elects nobody until the group
   * takes this node in and brings it up to date. Does nothing if there is one. Fails with {@link
   * IOException}, {@link IllegalArgumentException} or {@link IllegalStateException}.
   *
   * @param range with the replicas that the group has now, without this node: one that the group
   *     believes to have a replica here must bring its log back, not begin again without it
   */
  public CompletableFuture<Void> ensureReplica(RangeDescriptor range) {
    return moves.ensure(range);
  }

  /**
   * Closes a replica and removes its log and rows for ever; what remains is that the range {@link
   * #retired was here}. Does nothing if there is none. Fails with {@link IOException}, or {@link
   * IllegalStateException} if this node knows better.
   *
   * @param asOfIndex log index as of which the group no longer has this node
   */
  public CompletableFuture<Void> dropReplica(RangeId id, long asOfIndex) {
    return moves.drop(id, asOfIndex);
  }

  /**
   * The range may have a replica here again: no other replica believes any more that this node is
   * of the group. Does nothing if none was dropped. Fails with {@link IOException}.
   */
  public CompletableFuture<Void> forgetReplica(RangeId id) {
    return moves.forget(id);
  }

  /** Replicas that are replaced by empty ones because they are broken. */
  public RebuildLimit rebuilds() {
    return rebuildLimit;
  }

  /** Ranges that had a replica here and may not have one again before it is forgotten. */
  public Set<RangeId> retired() {
    return moves.retired();
  }

  /**
   * Has the group changed by its leader, which must be here. The same set twice confirms that the
   * group has agreed on it. Fails with {@link ConsensusException} or {@link IllegalStateException}.
   */
  public CompletableFuture<Void> changeReplicas(RangeId id, ReplicaSet from, ReplicaSet to) {
    return moves.change(id, from, to);
  }

  /** Hands leadership to another voter; from here. Fails like {@link #changeReplicas}. */
  public CompletableFuture<Void> transferLeadership(RangeId id, NodeId target) {
    return moves.transfer(id, target);
  }

  /**
   * Cuts a range in two (decision 0025); its leader must be here. Completes when this replica has
   * done so durably; the others follow. Fails with {@link IllegalArgumentException} or {@link
   * IllegalStateException} if it cannot be done, {@link KvException} if it was and is not durable.
   *
   * @param epochVersion of the range that was looked at; nothing is done to another
   * @param key where the new range begins; where the store may be {@linkplain StoreSpec#cuts cut}
   * @param number of the new range; never given to any other
   */
  public CompletableFuture<Void> split(RangeId id, long epochVersion, byte[] key, long number) {
    return Arrays.equals(spec(id).cuts().apply(key), key)
        ? moves.split(id, epochVersion, key, number)
        : CompletableFuture.failedFuture(
            new IllegalArgumentException(
                "store " + id.store() + " cannot be cut at " + HexFormat.of().formatHex(key)));
  }

  /** The steps by which two ranges become one. */
  public RangeMerges merges() {
    return merges;
  }

  /** How much the ranges hold. */
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
            births,
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

  /** The ranges of a store that this node has a replica of, in key order. */
  public List<RangeDescriptor> descriptors(String store) {
    return replicas.values().stream()
        .map(SupervisedReplica::descriptor)
        .filter(descriptor -> descriptor.id().store().equals(store))
        .sorted((a, b) -> Arrays.compareUnsigned(a.interval().start(), b.interval().start()))
        .toList();
  }

  /**
   * Completes once replicas of this node that together hold a store's whole key space have applied
   * everything that was committed in any of its ranges when the call was made. Fails with {@link
   * ConsensusException} or {@link IllegalStateException} if that cannot be found out, or there are
   * not enough.
   */
  public CompletableFuture<Void> catchUp(String store) {
    return new CatchUp(store, replicas).begin();
  }

  /** Replicas that this node holds, of all stores. */
  public int size() {
    return replicas.size();
  }

  /** Figures of every replica. */
  public List<ReplicaStatus> status() {
    return replicas.values().stream().map(SupervisedReplica::status).toList();
  }

  /**
   * What the ranges that are led here have had to do, in the order of stores and keys. To be called
   * about once a second, by one thread; before the first call nothing is measured.
   *
   * @param nanos since the call before
   * @param idleWindow in which idle ranges are found; always the same
   */
  public List<LedRange> measure(long nanos, Duration idleWindow) {
    return replicas.values().stream()
        .map(replica -> replica.measure(nanos, idleWindow))
        .flatMap(Stream::ofNullable)
        .sorted(LedRange.ORDER)
        .toList();
  }

  /** Makes everything applied so far durable and lets the logs drop it. */
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

  /** The replica asked for, or null after saying why there is none. */
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
