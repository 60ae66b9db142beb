/**
 * This node as part of its cluster: {@code ClusterNode} is its identity, cluster ports, Raft groups
 * and membership; {@code Stores} opens its ranges, with placement, splits and merges; {@code
 * RouteHealthMonitor} suspends the node when its routes are broken.
 */
@NullMarked
package io.fjordmq.broker.cluster;

import org.jspecify.annotations.NullMarked;
