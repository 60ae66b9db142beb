/**
 * Raft groups behind a port: {@link io.fjordmq.cluster.consensus.Consensus}.
 *
 * <p>Start there, then {@link io.fjordmq.cluster.consensus.ReplicatedState} (what a group drives)
 * and {@link io.fjordmq.cluster.consensus.ConsensusHost} (what the groups of a node share). This is
 * the only package that may know {@code com.alipay} types, and none of them leaves it. It does not
 * know what the bytes mean.
 *
 * <p>The port on sofa-jraft, in reading order:
 *
 * <ul>
 *   <li>{@link io.fjordmq.cluster.consensus.JRaftHost} opens groups; {@code JRaftConsensus} is one
 *       replica, {@code JRaftStateMachine} turns jraft's callbacks into calls of the state.
 *   <li>On disk: {@code SharedLog}, one database for all groups, laid out by {@code LogKeys}.
 *       {@code GroupLog}, {@code GroupVote} and {@code GroupSnapshots} are one group's view of it.
 *       An append is synced; groups that append at the same time share the sync.
 *   <li>Checkpoints: the state makes itself durable, the log database keeps only {@code
 *       CheckpointRecord}, jraft drops the log before the checkpoint before. A replica too far
 *       behind fetches a copy ({@code SnapshotExports} gives it, {@code SnapshotFetch} takes it).
 *   <li>On the wire: {@code RaftTransport} carries {@code RaftFrame}s, one connection from each
 *       node to each other. Peers are named by node id; {@link
 *       io.fjordmq.cluster.consensus.AddressBook} says where they are.
 * </ul>
 *
 * <p>Threads: jraft has four to five for each group (offering, writing, applying, reading), shared
 * ones for timers and callbacks. The transport adds one for sockets and {@link
 * io.fjordmq.cluster.consensus.TransportSettings#workers} for requests, and none at all on a node
 * that talks to no other.
 */
@NullMarked
package io.fjordmq.cluster.consensus;

import org.jspecify.annotations.NullMarked;
