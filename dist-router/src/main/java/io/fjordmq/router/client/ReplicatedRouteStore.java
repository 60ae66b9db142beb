package io.fjordmq.router.client;

import io.fjordmq.api.Topic;
import io.fjordmq.range.RangeClient;
import io.fjordmq.router.AddRoute;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.RemoveRoute;
import io.fjordmq.router.RemoveStaleRoutes;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteChanged;
import io.fjordmq.router.RouteKeys;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteRow;
import io.fjordmq.router.RouteStore;
import io.fjordmq.router.RouteStoreStatus;
import io.fjordmq.router.RouteTable;
import io.fjordmq.router.StaleRoutesRemoved;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The store of routes on the range engine. */
public final class ReplicatedRouteStore implements RouteStore {
  /**
   * Maximum number of rows that one log entry examines, so that no entry keeps its range busy for
   * long.
   */
  private static final int MAX_STALE_ROWS_PER_ENTRY = 2_048;

  private static final byte[] FIRST_KEY = {};

  private final RangeClient client;
  private final RouteTable table;
  private final @Nullable RouteBarrier barrier;

  /**
   * Creates the store of a single-node cluster: a route is effective once it is applied on this
   * node.
   *
   * @param client client for the store {@link RouteReplicas#STORE}
   * @param replicas the replicas of this node
   */
  public ReplicatedRouteStore(RangeClient client, RouteReplicas replicas) {
    this(client, replicas, null);
  }

  /**
   * @param client client for the store {@link RouteReplicas#STORE}
   * @param replicas the replicas of this node
   * @param barrier waits until routes are effective on every node; null in a single-node cluster
   */
  public ReplicatedRouteStore(
      RangeClient client, RouteReplicas replicas, @Nullable RouteBarrier barrier) {
    this.client = client;
    this.table = replicas.table();
    this.barrier = barrier;
  }

  @Override
  public CompletableFuture<Void> add(Route route) {
    byte[] key = RouteKeys.of(route);
    byte[] command = new AddRoute(key, RouteRow.encode(route.options())).encode();
    RouteBarrier clusterBarrier = barrier;
    if (clusterBarrier == null) {
      return client.mutate(key, command).thenAccept(done -> {});
    }
    long incarnation = clusterBarrier.incarnation();
    return client
        .mutate(key, command)
        .thenCompose(response -> clusterBarrier.whenApplied(RouteChanged.decode(response)))
        .thenCompose(done -> clusterBarrier.whenServing(incarnation));
  }

  @Override
  public boolean has(Route route) {
    return table.has(route);
  }

  /**
   * Returns the number of changes of this node's routes since startup: while it is the same, {@link
   * #has} returns the same for every route.
   */
  public long changes() {
    return table.changes();
  }

  @Override
  public CompletableFuture<Void> remove(Route route) {
    byte[] key = RouteKeys.of(route);
    CompletableFuture<byte[]> removed = client.mutate(key, new RemoveRoute(key).encode());
    RouteBarrier clusterBarrier = barrier;
    return clusterBarrier == null
        ? removed.thenAccept(done -> {})
        : removed.thenCompose(
            response -> clusterBarrier.whenApplied(RouteChanged.decode(response)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Visits the ranges in turn and completes once all have responded.
   */
  @Override
  public CompletableFuture<Integer> removeStale(String node, long incarnation) {
    return removeStale(node, incarnation, FIRST_KEY, 0);
  }

  private CompletableFuture<Integer> removeStale(
      String node, long incarnation, byte[] from, int removedBefore) {
    byte[] command =
        new RemoveStaleRoutes(node, incarnation, MAX_STALE_ROWS_PER_ENTRY, from).encode();
    return client
        .mutate(from, command)
        .thenCompose(
            response -> {
              StaleRoutesRemoved part = StaleRoutesRemoved.decode(response);
              int removed = removedBefore + part.removed();
              byte[] next = part.next();
              return next == null
                  ? CompletableFuture.completedFuture(removed)
                  : removeStale(node, incarnation, next, removed);
            });
  }

  /**
   * Returns the latest ended incarnation of each node that still has routes on this node, by node
   * id.
   */
  Map<String, Long> endedIncarnations(Predicate<Receiver.Live> hasEnded) {
    return table.endedIncarnations(hasEnded);
  }

  @Override
  public MatchedRoutes match(String tenant, Topic topic, IntConsumer visited) {
    return table.match(tenant, topic.name(), visited);
  }

  /** Returns the status for metrics. */
  public RouteStoreStatus status() {
    RouteBarrier clusterBarrier = barrier;
    RouteStoreStatus status = table.status();
    return clusterBarrier == null ? status : status.withWaitingForNodes(clusterBarrier.waiting());
  }
}
