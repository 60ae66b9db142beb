/**
 * Runs the Raft groups of a node on sofa-jraft.
 *
 * <p>{@link io.fjordmq.cluster.consensus.jraft.JRaftHost} opens, creates and destroys groups;
 * {@code JRaftConsensus} is one replica of a group, and {@code JRaftStateMachine} translates
 * jraft's callbacks for its replicated state. The state makes its checkpoints durable itself; the
 * log database stores only a {@code CheckpointRecord}, and jraft truncates the log up to the
 * previous checkpoint. No jraft node is visible outside this package.
 */
@NullMarked
package io.fjordmq.cluster.consensus.jraft;

import org.jspecify.annotations.NullMarked;
