/**
 * Raft groups behind a port: {@link io.fjordmq.cluster.consensus.Consensus}.
 *
 * <p>Start there, then {@link io.fjordmq.cluster.consensus.ReplicatedState} (what a group drives)
 * and {@link io.fjordmq.cluster.consensus.ConsensusHost} (what the groups of a node share). This is
 * the only package that may know {@code com.alipay} types, and none of them leaves it. It does not
 * know what the bytes mean.
 */
@NullMarked
package io.fjordmq.cluster.consensus;

import org.jspecify.annotations.NullMarked;
