package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeId;

/**
 * The promise of a node to let another one found the cluster. It is void once the proposer shows a
 * higher number.
 *
 * @param proposer the node that may found the cluster
 * @param number the number of its proposal
 */
record Promise(NodeId proposer, long number) {}
