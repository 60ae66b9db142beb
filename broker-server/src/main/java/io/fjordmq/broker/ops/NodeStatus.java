package io.fjordmq.broker.ops;

import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.limits.OverloadReading;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.kv.KvMetrics;
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
 * @param metadata its Raft group
 * @param clients of the stores, by store
 * @param storage the replicas' database
 * @param overload measures, and whether new work is refused
 * @param storageFailed whether it refuses writes for good
 */
public record NodeStatus(
    DeliveryStatus delivery,
    RouterStatus router,
    InboxStoreStatus inboxes,
    long retained,
    List<ReplicaStatus> replicas,
    GroupStatus metadata,
    Map<String, ClientStatus> clients,
    KvMetrics storage,
    OverloadStatus overload,
    boolean storageFailed) {
  /** Whether the node has too much to do, and what says so. */
  public record OverloadStatus(boolean overloaded, OverloadReading reading) {}
}
