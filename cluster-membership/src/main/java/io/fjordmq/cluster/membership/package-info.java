/**
 * Who is in the cluster, where, and alive: joining, addresses, leases and lives of nodes (decision
 * 0022).
 *
 * <p>Start at {@link io.fjordmq.cluster.membership.Membership}, which is what the layers above see.
 *
 * <p>It must not know what nodes do for each other: ranges, MQTT.
 */
@NullMarked
package io.fjordmq.cluster.membership;

import org.jspecify.annotations.NullMarked;
