package io.fjordmq.broker.simulation;

import io.fjordmq.broker.session.ServingState;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimMachine;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.placement.PlacementAgent;
import java.util.function.LongSupplier;

/** A defect injected into the nodes of a cluster, for a simulation that must detect it. */
interface ClusterDefect extends Defect {
  /** The nodes without a defect. */
  ClusterDefect NONE = new ClusterDefect() {};

  /** The rate of a node's clock. */
  default double clockRate(NodeId node) {
    return 1;
  }

  /**
   * Whether clients are to stay connected while the metadata have no leader. Not where clocks run
   * at different speeds: a slow node renews its lease too late, and its clients go elsewhere.
   */
  default boolean keepsClients() {
    return true;
  }

  /** Whether nodes report that they serve clients when they do not. */
  default boolean claimsToServe() {
    return false;
  }

  /** As the barrier of routes sees it. */
  default Membership counted(Membership membership) {
    return membership;
  }

  /** As sessions and delivery see it. */
  default ServingState serving(Membership membership) {
    return membership::notServingReason;
  }

  /** What time entries get. */
  default LongSupplier stamps(ClusterClock clock, SimMachine machine) {
    return clock::stampMillis;
  }

  /** Whether a node accepts an empty replica of routes. */
  default PlacementAgent.Consent consent(PlacementAgent.Consent consent) {
    return consent;
  }

  /** What other nodes reach. */
  default PeerServices services(PeerServices services) {
    return services;
  }

  /** Between replicas and their groups. */
  default ConsensusHost host(SimHost host, SimKv kv) {
    return host;
  }
}
