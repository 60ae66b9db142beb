/**
 * Raft consensus as the rest of the node sees it; no type of a Raft library is part of it.
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
 *   <li>{@code log} stores on disk: one database for the logs, votes and checkpoints of all groups.
 *   <li>{@code transport} is the network layer: one connection from each node to each other, and
 *       snapshots. Peers are identified by node id; {@link
 *       io.fjordmq.cluster.consensus.AddressBook} resolves their addresses.
 * </ul>
 *
 * <p>{@code jraft} uses the other two; {@code transport} uses the records of {@code log}; none of
 * them is used by this package.
 *
 * <p>Threads: jraft runs four to five per group (propose, write, apply, read) and shares those for
 * timers and callbacks. The transport adds one event loop and {@link
 * io.fjordmq.cluster.consensus.TransportSettings#workers} request workers. A node without peers has
 * no transport threads.
 */
@NullMarked
package io.fjordmq.cluster.consensus;

import org.jspecify.annotations.NullMarked;
