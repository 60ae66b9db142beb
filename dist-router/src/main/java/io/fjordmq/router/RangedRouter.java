package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.Topic;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The routes on the range engine. */
public final class RangedRouter implements Router {
  /*
   * "Effective on every living node" is "applied here" as long as this node holds every replica there is.
   */
  private static final String NAME = "dist";

  /** Removals in one log entry, so that none is large. */
  private static final int STALE_AT_ONCE = 1_000;

  private final RangeClient client;
  private final Replicas replicas;

  /** The replicas this node holds and the table they feed; made before the engine, filled by it. */
  public static final class Replicas {
    private final Map<RangeId, RouterCoprocessor> opened = new ConcurrentHashMap<>();
    private final RouteTable table;

    public Replicas(RouterSettings settings) {
      table = new RouteTable(settings.maxCachedTopics());
    }

    private Coprocessor open(RangeId range) {
      RouterCoprocessor replica = new RouterCoprocessor(table);
      opened.put(range, replica);
      return replica;
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
  public CompletableFuture<Void> remove(Route route) {
    byte[] key = RouteCodec.key(route);
    return client.mutate(key, new RouteCommand.Remove(key).encode()).thenAccept(done -> {});
  }

  @Override
  public CompletableFuture<Integer> removeStale(String node, long incarnation) {
    byte[] command = new RouteCommand.RemoveStale(node, incarnation, STALE_AT_ONCE).encode();
    return replicas.opened.values().stream()
        .map(replica -> removeStale(replica, command, 0))
        .reduce(
            CompletableFuture.completedFuture(0),
            (one, other) -> one.thenCombine(other, Integer::sum));
  }

  private CompletableFuture<Integer> removeStale(
      RouterCoprocessor replica, byte[] command, int removedBefore) {
    return client
        .mutate(replica.firstKey(), command)
        .thenCompose(
            answer -> {
              int removed = new ByteReader(answer).readInt();
              int total = removedBefore + removed;
              return removed < STALE_AT_ONCE
                  ? CompletableFuture.completedFuture(total)
                  : removeStale(replica, command, total);
            });
  }

  @Override
  public MatchedRoutes match(String tenant, Topic topic) {
    return replicas.table.match(tenant, topic.name());
  }

  public RouterStatus status() {
    RouteTable table = replicas.table;
    return new RouterStatus(table.routes(), table.filters(), table.cachedTopics());
  }
}
