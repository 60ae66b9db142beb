package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartStamp;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a node answers to {@link Hello}.
 *
 * @param clusterId the cluster it belongs to
 * @param env what people call that cluster; empty while the node does not know
 * @param node who it is
 * @param start of its data directory
 * @param address of its cluster port as it wants to be reached
 * @param metadataVoters who decides in the metadata group
 * @param metadataLearners who follows it
 * @param metadataLeader null while unknown
 * @param addresses of all nodes it knows
 * @param wallClockMillis its clock when it answered, ms since the epoch
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
    long wallClockMillis) {
  public HelloReply {
    metadataVoters = Set.copyOf(metadataVoters);
    metadataLearners = Set.copyOf(metadataLearners);
    addresses = Map.copyOf(addresses);
  }
}
