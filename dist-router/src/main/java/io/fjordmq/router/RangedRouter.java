package io.fjordmq.router;

import io.fjordmq.api.Topic;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import java.util.concurrent.CompletableFuture;

/** The routes on the range engine. */
public final class RangedRouter implements Router {
  /*
   * "Effective on every living node" is "applied here" as long as this node holds every replica there is.
   */
  private static final String NAME = "dist";

  /** Rows that one log entry looks at, so that none keeps its range busy for long. */
  private static final int STALE_ROWS_AT_ONCE = 2_048;

  private static final byte[] FIRST_KEY = {};

  private final RangeClient client;
  private final Replicas replicas;

  /** The table that this node's replicas fill; made before the engine. */
  public static final class Replicas {
    private final RouteTable table;

    public Replicas(RouterSettings settings) {
      table = new RouteTable(settings.maxCachedTopics());
    }

    private Coprocessor open(RangeId range) {
      return new RouterCoprocessor(table);
    }
  }

  /** What the range engine needs to know of this store. */
  public static StoreSpec spec(RouterSettings settings, Replicas replicas) {
    return new StoreSpec(
        NAME,
        RouteCodec.evenSplits(settings.initialRanges()),
        replicas::open,
        (range, effects) -> {
          throw new IllegalStateException("routes have no effects, but got " + effects);
        });
  }

  /**
   * @param client of the store that {@link #spec} described
   * @param replicas the ones given to {@link #spec}
   */
  public RangedRouter(RangeClient client, Replicas replicas) {
    this.client = client;
    this.replicas = replicas;
  }

  @Override
  public CompletableFuture<Void> add(Route route) {
    byte[] key = RouteCodec.key(route);
    byte[] command = new RouteCommand.Add(key, RouteCodec.value(route.options())).encode();
    return client.mutate(key, command).thenAccept(done -> {});
  }

  @Override
  public boolean has(Route route) {
    return replicas.table.has(route);
  }

  @Override
  public CompletableFuture<Void> remove(Route route) {
    byte[] key = RouteCodec.key(route);
    return client.mutate(key, new RouteCommand.Remove(key).encode()).thenAccept(done -> {});
  }

  /**
   * {@inheritDoc}
   *
   * <p>Goes through all ranges and completes when each has answered. So on a node that has just
   * started, every route acknowledged before is matched from then on.
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
              StaleRemoved part = StaleRemoved.decode(answer);
              int removed = removedBefore + part.removed();
              byte[] next = part.next();
              return next == null
                  ? CompletableFuture.completedFuture(removed)
                  : removeStale(node, incarnation, next, removed);
            });
  }

  @Override
  public MatchedRoutes match(String tenant, Topic topic) {
    return replicas.table.match(tenant, topic.name());
  }

  /** Figures for metrics. */
  public RouterStatus status() {
    return replicas.table.status();
  }
}
