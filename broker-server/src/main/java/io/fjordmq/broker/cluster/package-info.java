/**
 * This node as a member of its cluster. {@code ClusterNode} manages the node's identity, cluster
 * ports, Raft groups and membership; {@code Stores} opens the node's ranges and manages placement,
 * splits and merges; {@code RouteHealthMonitor} suspends the node when its routes are broken.
 */
@NullMarked
package io.fjordmq.broker.cluster;

import org.jspecify.annotations.NullMarked;
