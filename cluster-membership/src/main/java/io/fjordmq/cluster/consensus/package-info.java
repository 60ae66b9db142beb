/**
 * Raft consensus: an interface that hides the implementation, and its implementation on sofa-jraft.
 *
 * <p>Start with {@link io.fjordmq.cluster.consensus.Consensus} (one replica of a group), then read
 * {@link io.fjordmq.cluster.consensus.ReplicatedState} (the state machine that a group drives) and
 * {@link io.fjordmq.cluster.consensus.ConsensusHost} (what the groups of a node share). Only this
 * package may use {@code com.alipay} types, and it does not expose them. Entries are opaque bytes
 * to it.
 *
 * <p>The implementation on sofa-jraft, in reading order:
 *
 * <ul>
 *   <li>{@link io.fjordmq.cluster.consensus.JRaftHost} opens groups; {@code JRaftConsensus} is one
 *       replica; {@code JRaftStateMachine} translates jraft's callbacks for the replicated state.
 *   <li>On disk: {@code SharedLog} is one database for all groups; {@code LogKeys} defines its
 *       layout. {@code GroupLog}, {@code GroupVote} and {@code GroupSnapshots} are one group's view
 *       of it. Every append is fsynced; groups that append at the same time share the fsync.
 *   <li>Checkpoints: the state makes itself durable, the log database stores only a {@code
 *       CheckpointRecord}, and jraft truncates the log up to the previous checkpoint. A replica
 *       that is too far behind fetches a snapshot with {@code SnapshotFetch}; {@code
 *       SnapshotExports} serves it.
 *   <li>On the wire: {@code RaftTransport} exchanges {@code RaftFrame}s over one connection from
 *       each node to each other node. Peers are identified by node id; {@link
 *       io.fjordmq.cluster.consensus.AddressBook} resolves their addresses.
 * </ul>
 *
 * <p>Threads: jraft runs four to five per group (propose, write, apply, read) and shares those for
 * timers and callbacks. The transport adds one event loop and {@link
 * io.fjordmq.cluster.consensus.TransportSettings#workers} request workers. A node without peers has
 * no transport threads.
 */
@NullMarked
package io.fjordmq.cluster.consensus;

import org.jspecify.annotations.NullMarked;
