/**
 * Who is in the cluster, where, and alive: joining, addresses, leases and lives of nodes (decision
 * 0022).
 *
 * <p>Start at {@link io.fjordmq.cluster.membership.Membership}, which is what the layers above see,
 * and {@link io.fjordmq.cluster.membership.ClusterMembership}, which has the order of a node's
 * start. Then, in reading order:
 *
 * <ul>
 *   <li>{@code Joining}: a first start, or one without metadata, asks the seeds. {@code
 *       Introductions} and {@code NodeAddresses}: where everybody is.
 *   <li>{@code Life}: this node's lives, from registration to the end of the lease; {@code
 *       MemberView}: the members as it knows them.
 *   <li>{@code MetadataLeader}: what the leader of the metadata does for all, with {@code
 *       LeaseTable} and {@code MetadataReplicas}, which are pure. {@code LeaderCalls} finds it,
 *       {@code LeaderRequest} and {@code LeaderAnswer} are what is said.
 * </ul>
 *
 * <p>One thread, {@code membership}, does all of it; in tests virtual time does ({@code
 * SerialTimers}).
 *
 * <p>It must not know what nodes do for each other: ranges, MQTT.
 */
@NullMarked
package io.fjordmq.cluster.membership;

import org.jspecify.annotations.NullMarked;
