/**
 * Sessions and delivery under seeded faults: the real code from the bytes of a connection down to
 * the stores, in simulated time and on one thread. A {@link
 * io.fjordmq.broker.simulation.ModelClient} checks what it receives against what it was promised;
 * {@link io.fjordmq.broker.simulation.ModelClients} runs all of them, and {@link
 * io.fjordmq.broker.simulation.Ledger} records the promises. There are two simulations.
 *
 * <p>{@link io.fjordmq.broker.simulation.BrokerSimulation} runs one broker, which {@link
 * io.fjordmq.broker.simulation.RestartableBroker} restarts. Its ranges have one voter, so that
 * leaders can be removed, calls to stores repeated and clocks set.
 *
 * <p>{@link io.fjordmq.broker.simulation.ClusterSimulation} runs a whole cluster: {@link
 * io.fjordmq.broker.simulation.SimClusterNodes} has its nodes, and {@link
 * io.fjordmq.broker.simulation.ClusterFaults} injects faults.
 *
 * <ul>
 *   <li>Real: membership, leases, the metadata leader; placement; replicas, their checkpoints and
 *       snapshots; range clients; the three stores; the route barrier; streams between nodes;
 *       delivery, sessions, the pipeline. {@link io.fjordmq.broker.simulation.SimNodeProcess}
 *       assembles them as a broker does.
 *   <li>Replaced: consensus by a second implementation of its port, calls between nodes by {@code
 *       LoopbackPeers} on the same simulated network, RocksDB by {@code SimKv}, disks by {@code
 *       SimDisk}, which loses what is not synced, sockets by {@link
 *       io.fjordmq.broker.simulation.SimLink}. All threads and timers of a node are events of its
 *       {@code SimProcess}: while it stalls, its clock advances; when it crashes, they are lost.
 *   <li>Not simulated: addresses (a node announces another one at each start but is found by its
 *       name), real disks that fill up, clocks that differ, removal of nodes.
 *   <li>Invariants: all checks of the model clients; one leader per term and the same log
 *       everywhere ({@code RaftInvariants}); every node that serves is counted by all that serve
 *       ({@code ServingInvariant}); {@link io.fjordmq.broker.simulation.RouteInvariant}, {@link
 *       io.fjordmq.broker.simulation.InboxOwnershipInvariant}, {@link
 *       io.fjordmq.broker.simulation.WillGraceInvariant}, {@link
 *       io.fjordmq.broker.simulation.ReplicaRowsInvariant}; after the faults, {@link
 *       io.fjordmq.broker.simulation.PlacementGoal} and a response for every client.
 * </ul>
 *
 * <p>A failure names its seed; {@code -Dfjordmq.sim.seed=X} runs only that seed and prints the
 * preceding events.
 */
@org.jspecify.annotations.NullMarked
package io.fjordmq.broker.simulation;
