package io.fjordmq.broker.ops;

import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.limits.OverloadReading;
import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.range.placement.RangeHealth;
import io.fjordmq.range.placement.RangeLoadReport;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.router.RouteStoreStatus;
import java.util.List;
import java.util.Map;

/**
 * The state of all components at one point in time.
 *
 * @param delivery the state of delivery to connected clients
 * @param router the routes
 * @param inboxes the persistent sessions in ranges that this node leads
 * @param retained the retained messages
 * @param replicas this node's replicas of all ranges
 * @param rangeLoads the load and split decisions of the ranges that this node leads
 * @param metadata the metadata group
 * @param clients the range clients, by store
 * @param storage the state database
 * @param overload the overload measurements, and whether new work is refused
 * @param disk the free space and failures of the disk
 * @param clockAheadMillis how far this host's wall clock is ahead of cluster time; negative if the
 *     clock is behind
 * @param cluster this node's membership and its view of the cluster
 */
public record NodeStatus(
    DeliveryStatus delivery,
    RouteStoreStatus router,
    InboxStoreStatus inboxes,
    long retained,
    List<ReplicaStatus> replicas,
    Map<RangeId, RangeLoadReport> rangeLoads,
    GroupStatus metadata,
    Map<String, ClientStatus> clients,
    KvMetrics storage,
    OverloadStatus overload,
    Disk disk,
    long clockAheadMillis,
    Cluster cluster) {

  /**
   * The membership of this node and its view of the cluster.
   *
   * @param serving whether this node may serve clients
   * @param leaseMillis time until the lease expires unless it is renewed; 0 if it is not valid
   * @param level the level at which this node writes, and the levels that it supports
   * @param members all nodes of the cluster
   * @param ranges the health of the ranges, by store
   */
  public record Cluster(
      boolean serving,
      long leaseMillis,
      ClusterLevel level,
      Members members,
      Map<String, RangeHealth> ranges) {}

  /** Whether the node is overloaded, and the latest measurements. */
  public record OverloadStatus(boolean overloaded, OverloadReading reading) {}

  /**
   * The disk of the data directory.
   *
   * @param storageFailed whether the state database rejects writes
   * @param logFailed whether the log database rejects writes
   * @param freeBytes number of bytes that can still be written
   * @param low whether free space is below {@code diskConfig.minFreeBytes}
   */
  public record Disk(boolean storageFailed, boolean logFailed, long freeBytes, boolean low) {}
}
