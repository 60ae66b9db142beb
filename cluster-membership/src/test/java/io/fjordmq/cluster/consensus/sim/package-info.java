/**
 * Whole clusters in one thread: virtual time, a faulty network and faulty disks, and Raft groups on
 * top of them.
 *
 * <p>Start at {@link io.fjordmq.cluster.consensus.sim.SimCluster}. Everything that happens is an
 * event of one {@link io.fjordmq.testing.Simulation}, derived from one seed: the same seed gives
 * the same run. Layers above send their own messages over {@link
 * io.fjordmq.cluster.consensus.sim.SimNetwork} and store their own files in {@link
 * io.fjordmq.cluster.consensus.sim.SimDisk}. Does not depend on sofa-jraft.
 */
@NullMarked
package io.fjordmq.cluster.consensus.sim;

import org.jspecify.annotations.NullMarked;
