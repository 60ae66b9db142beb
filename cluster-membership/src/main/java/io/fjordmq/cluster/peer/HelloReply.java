package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartStamp;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a node to a {@link Hello}.
 *
 * @param clusterId the id of its cluster
 * @param env the name of its cluster; empty while the node does not know it
 * @param node the id of the node
 * @param start the start of its data directory
 * @param address the address of its cluster port as configured for other nodes
 * @param metadataVoters voters of the metadata group
 * @param metadataLearners learners of the metadata group
 * @param metadataLeader the leader of the metadata group; null while unknown
 * @param addresses addresses of all nodes it knows
 * @param wallClockMillis its wall clock when it replied, ms since the epoch
 * @param level the level of its cluster
 */
public record HelloReply(
    String clusterId,
    String env,
    NodeId node,
    StartStamp start,
    NodeAddress address,
    Set<NodeId> metadataVoters,
    Set<NodeId> metadataLearners,
    @Nullable NodeId metadataLeader,
    Map<NodeId, NodeAddress> addresses,
    long wallClockMillis,
    int level) {
  public HelloReply {
    metadataVoters = Set.copyOf(metadataVoters);
    metadataLearners = Set.copyOf(metadataLearners);
    addresses = Map.copyOf(addresses);
  }
}
