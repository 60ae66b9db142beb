/**
 * Sessions and delivery under seeded faults: the real code from the bytes of a connection down to
 * the stores, in virtual time and one thread. {@link io.fjordmq.broker.simulation.ModelClient} is a
 * client that knows what it may expect, {@link io.fjordmq.broker.simulation.Crowd} all of them,
 * {@link io.fjordmq.broker.simulation.Ledger} what they have been promised. There are two
 * simulations.
 *
 * <p>{@link io.fjordmq.broker.simulation.BrokerSimulation} is a run of one broker, {@link
 * io.fjordmq.broker.simulation.BrokerLives} that broker from life to life. Its ranges have one
 * voter, so that leaders can be taken away, calls to stores doubled and clocks set.
 *
 * <p>{@link io.fjordmq.broker.simulation.ClusterSimulation} is a run of a whole cluster, {@link
 * io.fjordmq.broker.simulation.ClusterLives} its nodes, {@link
 * io.fjordmq.broker.simulation.ClusterTrouble} what befalls them.
 *
 * <ul>
 *   <li>Real: membership, leases, the leader of the metadata; placement; replicas, their
 *       checkpoints and snapshots; clients of ranges; the three stores; the barrier of routes;
 *       streams between nodes; delivery, sessions, the pipeline. {@link
 *       io.fjordmq.broker.simulation.ClusterLife} puts them together as a broker does.
 *   <li>Replaced: consensus by a second implementation of its port, calls between nodes by {@code
 *       LoopbackPeers} on the same simulated network, RocksDB by {@code SimKv}, disks by {@code
 *       SimDisk}, which lose what is not synced, sockets by {@link
 *       io.fjordmq.broker.simulation.SimLink}. All threads and timers of a node are events of its
 *       {@code SimProcess}: when that stands still its clock goes on, when it crashes they are
 *       gone.
 *   <li>Not there: addresses (a node says another one at each start, but is found by its name),
 *       real disks that fill up, clocks that differ, removal of nodes.
 *   <li>What must hold: all that model clients check; one leader for a term and the same log
 *       everywhere ({@code RaftInvariants}); who serves is counted by all who serve ({@code
 *       ServingInvariant}); {@link io.fjordmq.broker.simulation.RouteWatch}, {@link
 *       io.fjordmq.broker.simulation.InboxOwners}, {@link io.fjordmq.broker.simulation.WillGrace},
 *       {@link io.fjordmq.broker.simulation.ReplicaRows}; after the trouble {@link
 *       io.fjordmq.broker.simulation.PlacementGoal}, and an answer to everybody.
 * </ul>
 *
 * <p>A failure names its seed; {@code -Dfjordmq.sim.seed=X} runs that alone and tells what happened
 * before.
 */
@org.jspecify.annotations.NullMarked
package io.fjordmq.broker.simulation;
