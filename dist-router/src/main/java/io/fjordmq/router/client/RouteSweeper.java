package io.fjordmq.router.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Members;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the routes to ended incarnations of nodes, through which no more messages are delivered.
 * Every node runs the sweep, but it only has an effect on the leader of the store's first range.
 * Thread-safe.
 */
public final class RouteSweeper {
  private static final Logger LOG = LoggerFactory.getLogger(RouteSweeper.class);

  private final ReplicatedRouteStore router;
  private final Supplier<Members> members;
  private final BooleanSupplier leads;
  private final AtomicBoolean sweeping = new AtomicBoolean();

  /**
   * @param members supplies the members as this node currently knows them
   * @param leads whether this node leads the store's first range
   */
  public RouteSweeper(
      ReplicatedRouteStore router, Supplier<Members> members, BooleanSupplier leads) {
    this.router = router;
    this.members = members;
    this.leads = leads;
  }

  /**
   * Searches the routes of this node and removes stale ones; does nothing while the previous sweep
   * is in progress. Must be called periodically, on a background thread.
   *
   * @return completes with the number of removed routes; the next sweep retries failed removals
   */
  public CompletableFuture<Integer> sweep() {
    if (!leads.getAsBoolean() || !sweeping.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(0);
    }
    Members now = members.get();
    CompletableFuture<Integer> totalRemoved = CompletableFuture.completedFuture(0);
    for (Map.Entry<String, Long> ended :
        router
            .endedIncarnations(live -> now.hasEnded(new NodeId(live.node()), live.incarnation()))
            .entrySet()) {
      totalRemoved =
          totalRemoved.thenCombine(remove(ended.getKey(), ended.getValue() + 1), Integer::sum);
    }
    return totalRemoved.whenComplete((removed, failure) -> sweeping.set(false));
  }

  private CompletableFuture<Integer> remove(String node, long incarnation) {
    return router
        .removeStale(node, incarnation)
        .handle(
            (removed, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Failed to remove stale routes; retrying at the next interval: {} node={}",
                    failure.toString(),
                    node);
                return 0;
              }
              LOG.info("Removed routes of an ended incarnation node={} routes={}", node, removed);
              return removed;
            });
  }
}
