package io.fjordmq.router;

import io.fjordmq.api.Topic;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** {@link Router} whose routes are a store of the range engine. */
public final class RangedRouter implements Router {
  private static final String NAME = "dist";

  /** Rows that one log entry examines, so that no entry keeps its range busy for long. */
  private static final int STALE_ROWS_AT_ONCE = 2_048;

  private static final byte[] FIRST_KEY = {};

  private final RangeClient client;
  private final Replicas replicas;
  private final @Nullable RouteBarrier barrier;

  /** The table that this node's replicas fill; created before the range engine. */
  public static final class Replicas {
    private final RouteTable table;
    private final AppliedRoutes applied = new AppliedRoutes();

    public Replicas(RouterSettings settings) {
      table = new RouteTable(settings.maxCachedTopics());
    }

    private Coprocessor open(RangeId range) {
      return new RouterCoprocessor(range.number(), table, applied);
    }

    AppliedRoutes applied() {
      return applied;
    }
  }

  /** The definition of this store for the range engine. */
  public static StoreSpec spec(RouterSettings settings, Replicas replicas) {
    return new StoreSpec(
        NAME,
        RouteCodec.evenSplits(settings.initialRanges()),
        replicas::open,
        (range, effects) -> {
          throw new IllegalStateException("unexpected effects of range " + range + ": " + effects);
        },
        RouteCodec::filterStart);
  }

  /**
   * Creates the router of a node without other nodes: a route is effective once applied here.
   *
   * @param client client of the store that {@link #spec} defines
   * @param replicas the same as passed to {@link #spec}
   */
  public RangedRouter(RangeClient client, Replicas replicas) {
    this(client, replicas, null);
  }

  /**
   * @param client client of the store that {@link #spec} defines
   * @param replicas the same as passed to {@link #spec}
   * @param barrier waits until routes are effective on every node; null without other nodes
   */
  public RangedRouter(RangeClient client, Replicas replicas, @Nullable RouteBarrier barrier) {
    this.client = client;
    this.replicas = replicas;
    this.barrier = barrier;
  }

  @Override
  public CompletableFuture<Void> add(Route route) {
    byte[] key = RouteCodec.key(route);
    byte[] command = new RouteCommand.Add(key, RouteCodec.value(route.options())).encode();
    RouteBarrier others = barrier;
    if (others == null) {
      return client.mutate(key, command).thenAccept(done -> {});
    }
    long incarnation = others.incarnation();
    return client
        .mutate(key, command)
        .thenCompose(answer -> others.applied(RouteChanged.decode(answer)))
        .thenCompose(done -> others.serving(incarnation));
  }

  @Override
  public boolean has(Route route) {
    return replicas.table.has(route);
  }

  @Override
  public CompletableFuture<Void> remove(Route route) {
    byte[] key = RouteCodec.key(route);
    CompletableFuture<byte[]> removed = client.mutate(key, new RouteCommand.Remove(key).encode());
    RouteBarrier others = barrier;
    return others == null
        ? removed.thenAccept(done -> {})
        : removed.thenCompose(answer -> others.applied(RouteChanged.decode(answer)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Visits the ranges one after the other and completes once all have answered.
   */
  @Override
  public CompletableFuture<Integer> removeStale(String node, long incarnation) {
    return removeStale(node, incarnation, FIRST_KEY, 0);
  }

  private CompletableFuture<Integer> removeStale(
      String node, long incarnation, byte[] from, int removedBefore) {
    byte[] command =
        new RouteCommand.RemoveStale(node, incarnation, STALE_ROWS_AT_ONCE, from).encode();
    return client
        .mutate(from, command)
        .thenCompose(
            answer -> {
              StaleRoutesRemoved part = StaleRoutesRemoved.decode(answer);
              int removed = removedBefore + part.removed();
              byte[] next = part.next();
              return next == null
                  ? CompletableFuture.completedFuture(removed)
                  : removeStale(node, incarnation, next, removed);
            });
  }

  /** The latest ended incarnation of each node that still has routes here, by node. */
  Map<String, Long> endedIncarnations(Predicate<Receiver.Live> over) {
    return replicas.table.endedIncarnations(over);
  }

  @Override
  public MatchedRoutes match(String tenant, Topic topic, IntConsumer visited) {
    return replicas.table.match(tenant, topic.name(), visited);
  }

  /** Status for metrics. */
  public RouterStatus status() {
    RouteBarrier others = barrier;
    RouterStatus status = replicas.table.status();
    return others == null ? status : status.withWaitingForNodes(others.waiting());
  }
}
