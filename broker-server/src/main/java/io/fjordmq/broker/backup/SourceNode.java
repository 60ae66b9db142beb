package io.fjordmq.broker.backup;

import io.fjordmq.cluster.NodeId;

/**
 * A node of the cluster that was backed up.
 *
 * @param incarnation its last incarnation
 */
record SourceNode(NodeId node, long incarnation) {}
