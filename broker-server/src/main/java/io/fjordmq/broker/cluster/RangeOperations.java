package io.fjordmq.broker.cluster;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.Timers;
import io.fjordmq.range.placement.ClockRepairs;
import io.fjordmq.range.placement.MergeRequests;
import io.fjordmq.range.placement.PendingStepRequests;
import io.fjordmq.range.placement.PlacementDriver;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.SplitMonitor;
import io.fjordmq.range.placement.SplitRequests;
import io.fjordmq.range.store.RangeStore;
import org.jspecify.annotations.Nullable;

/**
 * Range operations that operators can request. Any node accepts a request and forwards it to the
 * node that executes it. Thread-safe; no method blocks.
 *
 * @param splits splits ranges
 * @param merges merges ranges with their right neighbors
 * @param pending lists and cancels pending placement steps
 * @param clocks finds range clocks that are ahead of cluster time, and sets them back
 */
public record RangeOperations(
    SplitRequests splits, MergeRequests merges, PendingStepRequests pending, ClockRepairs clocks) {

  static RangeOperations of(
      ClusterNode node,
      RangeStore ranges,
      PlacementDriver placement,
      SplitMonitor rangeLoads,
      Timers timers,
      PlacementSettings settings) {
    return new RangeOperations(
        new SplitRequests(
            node.membership(),
            node.peers(),
            rangeLoads,
            placement,
            () -> leader(node),
            timers,
            settings),
        new MergeRequests(
            node.membership(), node.peers(), placement::merge, () -> leader(node), settings),
        new PendingStepRequests(
            node.membership(),
            node.peers(),
            placement::pending,
            placement::cancel,
            () -> leader(node),
            settings),
        new ClockRepairs(
            node.membership(), node.peers(), ranges, node.membership().clock(), settings));
  }

  /** The node that plans placement; null if the metadata group has no leader. */
  private static @Nullable NodeId leader(ClusterNode node) {
    return node.metadata().leadership().leader();
  }

  /** Starts accepting requests that other nodes forward. */
  void serve(PeerServices peers) {
    splits.serve(peers);
    merges.serve(peers);
    pending.serve(peers);
    clocks.serve(peers);
  }
}
