package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import java.time.Duration;

/**
 * Which nodes form a cluster, and how they find each other.
 *
 * @param env the name of the cluster; nodes with different names do not form one
 * @param expectNodes the number of empty nodes that form the cluster, at least 2
 * @param address the address at which other nodes reach this node's cluster port
 * @param timeout the time that a node has to respond
 * @param interval pause between two rounds
 */
public record FormationOptions(
    String env, int expectNodes, NodeAddress address, Duration timeout, Duration interval) {}
