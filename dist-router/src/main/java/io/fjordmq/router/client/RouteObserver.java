package io.fjordmq.router.client;

import io.fjordmq.cluster.NodeId;
import java.util.Collection;

/** Receives the waits of the route barrier, for metrics. Called on any thread; must not block. */
@FunctionalInterface
public interface RouteObserver {
  /** Ignores everything. */
  RouteObserver NONE = (slowest, nanos) -> {};

  /**
   * Called when a committed route change has been confirmed by all counted nodes, or was not
   * confirmed in time. Not called on a single node, where changes do not wait.
   *
   * @param slowest the node that confirmed last, or the nodes that did not confirm in time; empty
   *     if all nodes had already applied the change, or the last one is no longer counted
   * @param nanos how long the change waited
   */
  void onWaited(Collection<NodeId> slowest, long nanos);
}
