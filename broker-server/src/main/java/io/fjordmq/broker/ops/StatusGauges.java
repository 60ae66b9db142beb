package io.fjordmq.broker.ops;

import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.client.ClientStatus.RangeQueue;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.range.placement.RangeHealth;
import io.fjordmq.range.placement.RangeLoadReport;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The gauges that show a {@link NodeStatus}, which is read once per scrape. They show zero before
 * the first scrape.
 */
final class StatusGauges {
  private final Meters meters;
  private volatile @Nullable NodeStatus status;

  StatusGauges(Meters meters, Collection<String> stores) {
    this.meters = meters;
    addOverload();
    addDelivery();
    addStores();
    addCluster();
    stores.forEach(this::addRanges);
    stores.forEach(this::addRangeHealth);
    addRaft();
    addStorage();
    gauge(NodeMetric.CLOCK_DIFFERENCE, s -> s.clockAheadMillis() / 1_000.0);
  }

  /** Sets the status that the gauges show from now on. */
  void update(NodeStatus current) {
    status = current;
  }

  private void addOverload() {
    gauge(ClientMetric.OVERLOADED, s -> s.overload().overloaded() ? 1 : 0);
    gauge(ClientMetric.HEAP_USED, s -> s.overload().reading().heapPercent() / 100.0);
    gauge(ClientMetric.DIRECT_MEMORY_USED, s -> s.overload().reading().directPercent() / 100.0);
    gauge(ClientMetric.EVENT_LOOP_LAG, s -> s.overload().reading().loopLagMillis() / 1_000.0);
  }

  private void addDelivery() {
    gauge(DeliveryMetric.MAILBOX_MESSAGES, s -> s.delivery().waitingCopies());
    gauge(DeliveryMetric.MAILBOX_BYTES, s -> s.delivery().waitingBytes());
    gauge(DeliveryMetric.NODE_STREAMS, s -> s.delivery().nodes().streams());
    gauge(DeliveryMetric.NODE_STREAMS_FULL, s -> s.delivery().nodes().full());
    gauge(DeliveryMetric.NODE_ITEMS_WAITING, s -> s.delivery().nodes().items());
    gauge(DeliveryMetric.NODE_BYTES_WAITING, s -> s.delivery().nodes().bytes());
    gauge(DeliveryMetric.LOCAL_FILTERS, s -> s.delivery().filters());
    gauge(DeliveryMetric.LOCAL_ROUTES, s -> s.delivery().heldRoutes());
    gauge(DeliveryMetric.LOCAL_ROUTES_LEFTOVER, s -> s.delivery().failedRouteRemovals());
    gauge(DeliveryMetric.LOCAL_ROUTE_REMOVALS_WAITING, s -> s.delivery().waitingRemovals());
    gauge(DeliveryMetric.PUBLISHES_WAITING, s -> s.delivery().delayedPublishes());
    gauge(DeliveryMetric.SHARES, s -> s.delivery().shares());
    gauge(DeliveryMetric.REPEATING_PUBLISHERS, s -> s.delivery().repeatingPublishers());
    gauge(DeliveryMetric.REPEATABLE_MESSAGES, s -> s.delivery().repeatableMessages());
  }

  private void addStores() {
    gauge(StoreMetric.ROUTES, s -> s.router().routes());
    gauge(StoreMetric.ROUTE_FILTERS, s -> s.router().filters());
    gauge(StoreMetric.ROUTE_CACHE_TOPICS, s -> s.router().cachedTopics());
    counter(StoreMetric.ROUTE_CACHE_HITS, s -> s.router().cacheHits());
    counter(StoreMetric.ROUTE_CACHE_MISSES, s -> s.router().cacheMisses());
    counter(StoreMetric.ROUTE_CACHE_INVALIDATIONS, s -> s.router().cacheInvalidations());
    counter(StoreMetric.ROUTE_CACHE_EVICTIONS, s -> s.router().cacheEvictions());
    gauge(StoreMetric.ROUTE_CHANGES_WAITING, s -> s.router().waitingForNodes());
    gauge(StoreMetric.INBOXES, s -> s.inboxes().inboxes());
    gauge(StoreMetric.INBOXES_ATTACHED, s -> s.inboxes().attached());
    gauge(StoreMetric.INBOX_SUBSCRIPTIONS, s -> s.inboxes().subscriptions());
    gauge(StoreMetric.INBOX_MESSAGES, s -> s.inboxes().queuedMessages());
    gauge(StoreMetric.RETAINED_MESSAGES, NodeStatus::retained);
  }

  private void addCluster() {
    gauge(NodeMetric.SERVING, s -> s.cluster().serving() ? 1 : 0);
    gauge(NodeMetric.LEASE_REMAINING, s -> s.cluster().leaseMillis() / 1_000.0);
    gauge(NodeMetric.CLUSTER_LEVEL, s -> s.cluster().level().current());
    gauge(NodeMetric.SUPPORTED_LEVEL, s -> s.cluster().level().supported().highest());
    for (Member.State state : Member.State.values()) {
      gauge(
          NodeMetric.CLUSTER_NODES,
          s -> nodesInState(s.cluster().members(), state),
          state.name().toLowerCase(Locale.ROOT));
    }
  }

  private static long nodesInState(Members members, Member.State state) {
    return members.byNode().values().stream().filter(node -> node.state() == state).count();
  }

  private void addRangeHealth(String store) {
    gauge(
        RangeMetric.RANGE_REPLICA_LAG,
        s ->
            replicas(s, store)
                .map(ReplicaStatus::group)
                .flatMap(Stream::ofNullable)
                .mapToLong(GroupStatus::followerLag)
                .max()
                .orElse(0),
        store);
    gauge(RangeMetric.CLUSTER_RANGES, s -> health(s, store).ranges(), store);
    gauge(RangeMetric.CLUSTER_RANGES_WITHOUT_LEADER, s -> health(s, store).withoutLeader(), store);
    gauge(
        RangeMetric.CLUSTER_RANGES_UNDER_REPLICATED,
        s -> health(s, store).underReplicated(),
        store);
  }

  private static RangeHealth health(NodeStatus status, String store) {
    return status.cluster().ranges().getOrDefault(store, RangeHealth.EMPTY);
  }

  private void addRanges(String store) {
    gauge(RangeMetric.RANGES, s -> replicas(s, store).count(), store);
    gauge(
        RangeMetric.RANGES_LED,
        s -> replicas(s, store).filter(ReplicaStatus::leading).count(),
        store);
    Predicate<ReplicaStatus> halted = replica -> replica.failure() != null;
    gauge(RangeMetric.RANGES_HALTED, s -> replicas(s, store).filter(halted).count(), store);
    gauge(
        RangeMetric.RANGE_BUSIEST_REQUESTS,
        s -> rangeLoads(s, store).mapToLong(RangeLoadReport::requests).max().orElse(0),
        store);
    gauge(
        RangeMetric.RANGE_BUSIEST,
        s -> rangeLoads(s, store).mapToInt(RangeLoadReport::busyPermille).max().orElse(0) / 1_000.0,
        store);
    gauge(
        RangeMetric.RANGE_LARGEST_BYTES,
        s -> rangeLoads(s, store).mapToLong(RangeLoadReport::bytes).max().orElse(0),
        store);
    gauge(
        RangeMetric.RANGE_LOG_BYTES,
        s -> replicas(s, store).mapToLong(ReplicaStatus::logBytesSinceCheckpoint).sum(),
        store);
    gauge(
        RangeMetric.RANGE_SENDERS,
        s -> replicas(s, store).mapToLong(ReplicaStatus::senders).sum(),
        store);
    gauge(
        RangeMetric.RANGE_QUEUE_COMMANDS,
        s -> client(s, store).ranges().stream().mapToLong(RangeQueue::queuedCommands).sum(),
        store);
    gauge(
        RangeMetric.RANGE_QUEUE_BYTES,
        s -> client(s, store).ranges().stream().mapToLong(RangeQueue::queuedBytes).sum(),
        store);
    gauge(RangeMetric.RANGE_QUERIES_IN_FLIGHT, s -> client(s, store).queriesInFlight(), store);
  }

  private static Stream<ReplicaStatus> replicas(NodeStatus status, String store) {
    return status.replicas().stream()
        .filter(replica -> replica.descriptor().id().store().equals(store));
  }

  private static Stream<RangeLoadReport> rangeLoads(NodeStatus status, String store) {
    return status.rangeLoads().entrySet().stream()
        .filter(entry -> entry.getKey().store().equals(store))
        .map(Map.Entry::getValue);
  }

  private static ClientStatus client(NodeStatus status, String store) {
    return Objects.requireNonNull(status.clients().get(store), store);
  }

  private void addRaft() {
    gauge(RaftMetric.RAFT_GROUPS, s -> groups(s).count());
    gauge(RaftMetric.RAFT_GROUPS_LED, s -> groups(s).filter(g -> g.leadership().leading()).count());
    gauge(RaftMetric.RAFT_LOG_ENTRIES, s -> sum(s, g -> g.lastIndex() - g.firstIndex() + 1));
    gauge(RaftMetric.RAFT_UNAPPLIED, s -> sum(s, g -> g.committedIndex() - g.appliedIndex()));
  }

  private static Stream<GroupStatus> groups(NodeStatus status) {
    Stream<GroupStatus> rangeGroups =
        status.replicas().stream().map(ReplicaStatus::group).flatMap(Stream::ofNullable);
    return Stream.concat(Stream.of(status.metadata()), rangeGroups);
  }

  private static long sum(NodeStatus status, ToLongFunction<GroupStatus> value) {
    return groups(status).mapToLong(group -> Math.max(0, value.applyAsLong(group))).sum();
  }

  private void addStorage() {
    gauge(NodeMetric.STORAGE_FAILED, s -> s.disk().storageFailed() ? 1 : 0);
    gauge(RaftMetric.RAFT_LOG_FAILED, s -> s.disk().logFailed() ? 1 : 0);
    gauge(NodeMetric.DISK_FREE_BYTES, s -> s.disk().freeBytes());
    gauge(NodeMetric.DISK_LOW, s -> s.disk().low() ? 1 : 0);
    storage(NodeMetric.STORAGE_UNWRITTEN_BYTES, KvMetrics::unwrittenBytes);
    storage(NodeMetric.STORAGE_MEMTABLE_BYTES, KvMetrics::memtableBytes);
    storage(NodeMetric.STORAGE_CACHE_BYTES, KvMetrics::blockCacheBytes);
    storage(NodeMetric.STORAGE_TABLE_BYTES, KvMetrics::tableFileBytes);
    storage(NodeMetric.STORAGE_PENDING_COMPACTION_BYTES, KvMetrics::pendingCompactionBytes);
    storage(NodeMetric.STORAGE_WRITE_STOPPED, storage -> storage.writeStopped() ? 1 : 0);
    counter(NodeMetric.STORAGE_BACKGROUND_ERRORS, s -> s.storage().backgroundErrors());
  }

  private void storage(Metric metric, ToDoubleFunction<KvMetrics> value) {
    gauge(metric, s -> value.applyAsDouble(s.storage()));
  }

  private void gauge(Metric metric, ToDoubleFunction<NodeStatus> value, String... labelValues) {
    meters.gauge(metric, supplier(value), labelValues);
  }

  /** Registers a counter for a value that never decreases. */
  private void counter(Metric metric, ToDoubleFunction<NodeStatus> value) {
    meters.functionCounter(metric, supplier(value));
  }

  private DoubleSupplier supplier(ToDoubleFunction<NodeStatus> value) {
    return () -> {
      NodeStatus current = status;
      return current == null ? 0 : value.applyAsDouble(current);
    };
  }
}
