/**
 * Whole clusters in one thread: virtual time, a network and disks that misbehave, and Raft groups
 * on top of them.
 *
 * <p>Start at {@link io.fjordmq.cluster.consensus.sim.SimCluster}. Everything that happens is an
 * event of one {@link io.fjordmq.cluster.consensus.sim.Simulation}, drawn from one seed: the same
 * seed gives the same run. Layers above bring their own messages over {@link
 * io.fjordmq.cluster.consensus.sim.SimNetwork} and their own files in {@link
 * io.fjordmq.cluster.consensus.sim.SimDisk}. Knows nothing of sofa-jraft.
 */
@NullMarked
package io.fjordmq.cluster.consensus.sim;

import org.jspecify.annotations.NullMarked;
