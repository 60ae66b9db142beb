/**
 * The identity of this node: node id, data directory, addresses, and the protection against copied
 * data directories. This package does not depend on MQTT or key ranges.
 *
 * <p>Start at {@link io.fjordmq.cluster.NodeIdentity}. Raft groups are in {@code
 * cluster.consensus}; the cluster-wide state is in {@code cluster.metadata}.
 */
@NullMarked
package io.fjordmq.cluster;

import org.jspecify.annotations.NullMarked;
