package io.fjordmq.broker.alarms;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.LevelStatus;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.comparison.ReplicaDifference;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * This node's view of the cluster, without asking other nodes.
 *
 * @param self this node
 * @param members the nodes of the cluster
 * @param nodeNames the names of nodes for operators
 * @param replicas the replicas on this node
 * @param ranges all ranges of the cluster, as published in the metadata
 * @param votersByStore the number of voters that ranges should have, by store
 * @param hasMetadataLeader whether this node knows a leader of the metadata group
 * @param level the cluster level
 * @param differences replicas that hold different rows, of ranges that this node leads
 */
public record ClusterState(
    NodeId self,
    Members members,
    Function<NodeId, String> nodeNames,
    List<ReplicaStatus> replicas,
    List<RangeDescriptor> ranges,
    Map<String, Integer> votersByStore,
    boolean hasMetadataLeader,
    LevelStatus level,
    List<ReplicaDifference> differences) {}
