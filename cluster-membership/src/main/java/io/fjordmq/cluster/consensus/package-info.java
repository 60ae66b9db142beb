/**
 * The Raft API that the rest of the node uses. It exposes no types of a Raft library.
 *
 * <p>Start with {@link io.fjordmq.cluster.consensus.Consensus} (one replica of a group), then read
 * {@link io.fjordmq.cluster.consensus.ReplicatedState} (the state machine that a group drives) and
 * {@link io.fjordmq.cluster.consensus.ConsensusHost} (what the groups of a node share). Entries are
 * opaque bytes.
 *
 * <p>The implementation, in reading order:
 *
 * <ul>
 *   <li>{@code jraft} runs groups on sofa-jraft: {@code JRaftHost} opens them, {@code
 *       JRaftConsensus} is one replica, {@code JRaftStateMachine} translates jraft's callbacks for
 *       the replicated state.
 *   <li>{@code log} is the on-disk storage: one database for the logs, votes and checkpoints of all
 *       groups.
 *   <li>{@code transport} is the network layer: one connection from each node to every other node,
 *       and the transfer of snapshots. Peers are identified by node id; {@link
 *       io.fjordmq.cluster.consensus.AddressBook} resolves their addresses.
 * </ul>
 *
 * <p>{@code jraft} uses the other two; {@code transport} uses the records of {@code log}; this
 * package uses none of them.
 *
 * <p>Threads: jraft runs four to five threads per group (propose, write, apply, read), and shares
 * the threads for timers and callbacks between groups. The transport adds one event loop and {@link
 * io.fjordmq.cluster.consensus.TransportSettings#workers} request workers. A node without peers has
 * no transport threads.
 */
@NullMarked
package io.fjordmq.cluster.consensus;

import org.jspecify.annotations.NullMarked;
