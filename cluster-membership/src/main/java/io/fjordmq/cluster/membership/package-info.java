/**
 * The members of the cluster: joining, addresses, leases and incarnations of nodes (decision 0022).
 *
 * <p>Start at {@link io.fjordmq.cluster.membership.Membership}, the interface for the layers above,
 * and {@link io.fjordmq.cluster.membership.ClusterMembership}, which documents the startup sequence
 * of a node. Then read:
 *
 * <ul>
 *   <li>{@code ClusterJoin}, which contacts the seeds at a first start or when the metadata is
 *       missing; {@code AddressDiscovery} and {@code NodeAddresses}, which track the addresses of
 *       all nodes.
 *   <li>{@code NodeIncarnations}, the incarnations of this node from registration to the end of the
 *       lease ({@code NodeLease}); {@code MemberView}, the members as this node knows them.
 *   <li>{@code MetadataLeader}, which performs the duties of the metadata leader with the help of
 *       {@code NodeRegistry}, {@code MetadataReplicaUpdater}, {@code LeaseTable} and {@code
 *       MetadataReplicaPlan}; the last two use neither clocks nor threads. {@code LeaderCalls}
 *       finds the leader; {@code LeaderRequest} and {@code LeaderResponse} define the messages.
 * </ul>
 *
 * <p>Everything runs on one thread, {@code membership}; simulations replace it with virtual time
 * ({@code Timers}).
 *
 * <p>This package does not depend on ranges or MQTT.
 */
@NullMarked
package io.fjordmq.cluster.membership;

import org.jspecify.annotations.NullMarked;
