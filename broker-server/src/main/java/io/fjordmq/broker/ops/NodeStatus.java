package io.fjordmq.broker.ops;

import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.limits.OverloadReading;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.range.placement.ShapeReport;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.router.RouterStatus;
import java.util.List;
import java.util.Map;

/**
 * Figures of every part at one moment.
 *
 * @param delivery to connected clients
 * @param router routes
 * @param inboxes persistent sessions led here
 * @param retained retained messages
 * @param replicas of all ranges
 * @param shapes what this node says of the load of ranges that it leads
 * @param metadata its Raft group
 * @param clients of the stores, by store
 * @param storage the replicas' database
 * @param overload measures, and whether new work is refused
 * @param disk whether it takes writes
 * @param clockAheadMillis of cluster time, by this machine's wall clock; negative if it is behind
 */
public record NodeStatus(
    DeliveryStatus delivery,
    RouterStatus router,
    InboxStoreStatus inboxes,
    long retained,
    List<ReplicaStatus> replicas,
    Map<RangeId, ShapeReport> shapes,
    GroupStatus metadata,
    Map<String, ClientStatus> clients,
    KvMetrics storage,
    OverloadStatus overload,
    Disk disk,
    long clockAheadMillis) {

  /** Whether the node has too much to do, and what says so. */
  public record OverloadStatus(boolean overloaded, OverloadReading reading) {}

  /**
   * What the node's files are on.
   *
   * @param storageFailed whether the replicas' database takes no writes
   * @param logFailed whether the Raft log takes none
   * @param freeBytes what may still be written
   * @param low whether what must be stored is refused
   */
  public record Disk(boolean storageFailed, boolean logFailed, long freeBytes, boolean low) {}
}
