package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Manages all replicas on this node, of all stores.
 *
 * <p>{@link #open} opens the replicas on disk; {@link #createInitialRanges} is for the first start
 * of a cluster. Both block on disk I/O, as does {@link #close}; all other methods may be called
 * from any thread and do not block. The caller closes the storage and the host, after this object.
 */
public final class RangeStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RangeStore.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

  private final NodeId self;
  private final ConsensusHost host;
  private final Kv kv;
  private final Path installDirectory;
  private final RangeStoreSettings settings;
  private final RangeRuntime runtime;
  private final RangeObserver observer;
  private final Map<String, StoreSpec> specs = new LinkedHashMap<>();
  private final Map<RangeId, SupervisedReplica> replicas =
      new ConcurrentSkipListMap<>(
          Comparator.comparing(RangeId::store).thenComparingLong(RangeId::number));
  private final CheckpointCycle checkpoints;
  private final StoredReplicas stored;
  private final LocalReplicas localReplicas;
  private final LeaderOperations leaderOperations;
  private final RebuildLimit rebuildLimit;
  private final RangeMerges merges;
  private final SliceHashes sliceHashes;
  private final RangeTransport transport;
  private final ReplicaDependencies.RangeLifecycleListener rangeLifecycleListener;
  private volatile boolean closed;

  private RangeStore(
      NodeId self,
      ConsensusHost host,
      Kv kv,
      List<StoreSpec> stores,
      Path installDirectory,
      RangeStoreSettings settings,
      RangeRuntime runtime,
      RangeObserver observer,
      Function<RangeId, Optional<RangeDescriptor>> published) {
    this.self = self;
    this.host = host;
    this.kv = kv;
    this.installDirectory = installDirectory;
    this.settings = settings;
    this.runtime = runtime;
    this.observer = observer;
    stores.forEach(spec -> specs.put(spec.name(), spec));
    this.rebuildLimit = new RebuildLimit(runtime.timers()::nowMillis, replicas::get, observer);
    this.stored = new StoredReplicas(host, kv, installDirectory, published);
    UndecidedMerges undecided = new UndecidedMerges(stored, replicas);
    this.localReplicas =
        new LocalReplicas(
            self,
            stored,
            undecided,
            replicas,
            runtime.supervisor(),
            rebuildLimit,
            range -> add(spec(range.id()), range).open());
    this.leaderOperations = new LeaderOperations(self, stored, kv, replicas, this::spec);
    this.merges = new RangeMerges(replicas, undecided, leaderOperations, localReplicas);
    this.transport = localTransport(new LocalTransport.Unconnected(self), false);
    this.sliceHashes = new SliceHashes(replicas, settings, runtime.timers(), runtime.background());
    this.rangeLifecycleListener =
        new DurableActions(kv, localReplicas, settings, runtime, () -> closed);
    this.checkpoints =
        new CheckpointCycle(
            settings,
            runtime,
            observer,
            replicas::values,
            () -> host.failure() != null || kv.failure() != null);
  }

  /** Opens a store that knows of no published ranges. */
  public static RangeStore open(
      NodeId self,
      ConsensusHost host,
      Kv kv,
      List<StoreSpec> stores,
      Path installDirectory,
      RangeStoreSettings settings,
      RangeRuntime runtime,
      RangeObserver observer)
      throws IOException {
    return open(
        self,
        host,
        kv,
        stores,
        installDirectory,
        settings,
        runtime,
        observer,
        range -> Optional.empty());
  }

  /**
   * Opens all replicas on this node's disk and completes interrupted removals. A replica that
   * cannot be opened counts as halted and is retried.
   *
   * @param installDirectory where received snapshots are kept while they are installed
   * @param published returns the descriptor of a range in the metadata, which replaces a stored one
   *     that cannot be read; empty if there is none
   * @throws IOException if the list of replicas cannot be read; no replica is open then
   */
  public static RangeStore open(
      NodeId self,
      ConsensusHost host,
      Kv kv,
      List<StoreSpec> stores,
      Path installDirectory,
      RangeStoreSettings settings,
      RangeRuntime runtime,
      RangeObserver observer,
      Function<RangeId, Optional<RangeDescriptor>> published)
      throws IOException {
    RangeStore store =
        new RangeStore(
            self, host, kv, stores, installDirectory, settings, runtime, observer, published);
    try {
      new ReplicaOpener(
              store.stored,
              runtime.openers(),
              (spec, range) -> store.add(spec, range).openOrRetry())
          .open(stores);
      for (StoreSpec spec : stores) {
        store.localReplicas.addRetired(store.stored.retired(spec.name()));
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

  /** Returns the limit on replacing broken replicas with empty ones. */
  public RebuildLimit rebuildLimit() {
    return rebuildLimit;
  }

  /** Returns the operations that add and remove replicas on this node. */
  public LocalReplicas localReplicas() {
    return localReplicas;
  }

  /** Returns the operations of the range leaders on this node. */
  public LeaderOperations leaderOperations() {
    return leaderOperations;
  }

  /** Returns the operations that merge ranges. */
  public RangeMerges merges() {
    return merges;
  }

  /** Returns the sizes of the ranges. */
  public RangeSizes sizes() {
    return new RangeSizes(kv, specs, runtime.queries());
  }

  /** Returns consistent views of the data of ranges, for backups. */
  public RangeExports exports() {
    return new RangeExports(kv, replicas, runtime.queries());
  }

  /** Returns the hashes of rows that the replicas of this node have computed. */
  public SliceHashes sliceHashes() {
    return sliceHashes;
  }

  /**
   * Returns a loader of rows for a store of a new cluster; {@link #createInitialRanges} must follow
   * and makes the rows durable.
   */
  public RowLoader loader(String store) {
    return new RowLoader(kv.space(store));
  }

  private StoreSpec spec(RangeId id) {
    StoreSpec spec = specs.get(id.store());
    if (spec == null) {
      throw new IllegalArgumentException("this node has no store '" + id.store() + "'");
    }
    return spec;
  }

  private SupervisedReplica add(StoreSpec spec, RangeDescriptor descriptor) {
    ReplicaDependencies dependencies =
        new ReplicaDependencies(
            self,
            kv,
            installDirectory,
            settings,
            runtime,
            observer,
            new ReplicaLoad(),
            spec.effects(),
            host,
            rangeLifecycleListener,
            rebuildLimit,
            sliceHashes,
            this::onHalted);
    SupervisedReplica replica =
        new SupervisedReplica(descriptor, spec, kv.space(spec.name()), host, dependencies);
    replicas.put(descriptor.id(), replica);
    return replica;
  }

  private void onHalted(RangeId id) {
    SupervisedReplica replica = replicas.get(id);
    if (replica != null) {
      runtime.supervisor().execute(replica::reopenLater);
    }
  }

  /** Returns the ranges of a store that have a replica on this node, in key order. */
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
    return new CatchUp(store, replicas).start();
  }

  /** Returns the number of replicas on this node, of all stores. */
  public int size() {
    return replicas.size();
  }

  /** Returns whether this node leads a range. Cheaper than {@link #status}. */
  public boolean leads(RangeId range) {
    SupervisedReplica supervised = replicas.get(range);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    return replica != null && replica.isLeading();
  }

  /** Returns the status of every replica. */
  public List<ReplicaStatus> status() {
    return replicas.values().stream().map(SupervisedReplica::status).toList();
  }

  /**
   * Returns the load of the ranges that this node leads, by store and key. Must be called once a
   * second, on one thread; nothing is measured before the first call.
   *
   * @param nanos time since the previous call
   * @param idleWindow window over which ranges are judged to be idle; must not change
   */
  public List<LedRange> measure(long nanos, Duration idleWindow) {
    return replicas.values().stream()
        .map(replica -> replica.measure(nanos, idleWindow))
        .flatMap(Stream::ofNullable)
        .sorted(LedRange.ORDER)
        .toList();
  }

  /** Returns the transport to this node's replicas for its own clients, without other nodes. */
  public RangeTransport transport() {
    return transport;
  }

  /**
   * Returns a transport to all replicas for this node's own clients.
   *
   * @param otherNodes sends the requests for replicas of other nodes
   */
  public RangeTransport transport(RangeTransport otherNodes) {
    return localTransport(otherNodes, false);
  }

  /**
   * Returns the transport to this node's replicas for other nodes. Entries that other nodes have
   * encoded are checked before they are proposed.
   */
  public RangeTransport transportForOtherNodes() {
    return localTransport(new LocalTransport.Unconnected(self), true);
  }

  private RangeTransport localTransport(RangeTransport otherNodes, boolean fromOtherNodes) {
    return new LocalTransport(self, otherNodes, replicas, stored, fromOtherNodes);
  }

  /** Makes everything applied so far durable, so that the logs can be truncated. */
  public CompletableFuture<Void> checkpoint() {
    return CompletableFuture.supplyAsync(checkpoints::run, runtime.supervisor())
        .thenCompose(done -> done);
  }

  /**
   * Closes the replicas; their applied state stays in the storage, which flushes when it closes. If
   * the supervisor thread is blocked in a disk call, it closes them when that call returns.
   */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Closes the replicas within a timeout.
   *
   * @return false if some replicas were still open after the timeout
   */
  boolean close(Duration timeout) {
    boolean ended =
        CompletableFuture.runAsync(this::closeReplicas, runtime.supervisor())
            .thenApply(closing -> true)
            .completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS)
            .join();
    if (ended) {
      LOG.info("Ranges closed node={}", self);
    } else {
      LOG.warn(
          "Ranges did not close within {} s: a replica or the disk is not responding; the Raft log "
              + "still holds the unflushed writes node={}",
          timeout.toSeconds(),
          self);
    }
    return ended;
  }

  private void closeReplicas() {
    closed = true;
    localReplicas.stop();
    checkpoints.stop();
    sliceHashes.close();
    replicas.values().forEach(SupervisedReplica::close);
  }
}
