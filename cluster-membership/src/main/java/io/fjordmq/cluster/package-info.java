/**
 * Who this node is: identity, data directory, addresses. Knows no MQTT and no key ranges.
 *
 * <p>Start at {@link io.fjordmq.cluster.NodeId}; Raft groups are in {@code cluster.consensus}, the
 * cluster's own truth in {@code cluster.metadata}.
 */
@NullMarked
package io.fjordmq.cluster;

import org.jspecify.annotations.NullMarked;
