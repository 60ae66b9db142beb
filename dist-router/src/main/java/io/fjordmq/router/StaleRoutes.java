package io.fjordmq.router;

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
 * Removes the routes that lead to lives of nodes that are over: nobody receives through them any
 * more. Every node sweeps, but only the one that leads the first range of the store does something.
 * Thread-safe.
 */
public final class StaleRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(StaleRoutes.class);

  private final RangedRouter router;
  private final Supplier<Members> members;
  private final BooleanSupplier leads;
  private final AtomicBoolean sweeping = new AtomicBoolean();

  /**
   * @param members as this node knows them now
   * @param leads whether this node leads the store's first range
   */
  public StaleRoutes(RangedRouter router, Supplier<Members> members, BooleanSupplier leads) {
    this.router = router;
    this.members = members;
    this.leads = leads;
  }

  /**
   * Looks through the routes of this node and has stale ones removed; does nothing while the last
   * sweep is under way. To be called from time to time, by a thread that may take its time.
   *
   * @return completes with how many were removed; what fails is tried again by the next sweep
   */
  public CompletableFuture<Integer> sweep() {
    if (!leads.getAsBoolean() || !sweeping.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(0);
    }
    Members now = members.get();
    CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
    for (Map.Entry<String, Long> ended :
        router.ended(live -> now.isOver(new NodeId(live.node()), live.incarnation())).entrySet()) {
      all = all.thenCombine(remove(ended.getKey(), ended.getValue() + 1), Integer::sum);
    }
    return all.whenComplete((removed, failure) -> sweeping.set(false));
  }

  private CompletableFuture<Integer> remove(String node, long incarnation) {
    return router
        .removeStale(node, incarnation)
        .handle(
            (removed, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Could not remove stale routes, retrying at the next interval: {} node={}",
                    failure.toString(),
                    node);
                return 0;
              }
              LOG.info("Removed routes of an ended incarnation node={} routes={}", node, removed);
              return removed;
            });
  }
}
