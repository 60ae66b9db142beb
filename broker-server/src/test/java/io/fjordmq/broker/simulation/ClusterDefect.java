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
   * Whether clients must stay connected while the metadata have no leader. False if clocks run at
   * different speeds: a slow node renews its lease too late, and its clients go elsewhere.
   */
  default boolean keepsClients() {
    return true;
  }

  /** Whether nodes report that they serve clients when they do not. */
  default boolean claimsToServe() {
    return false;
  }

  /** Wraps the membership that the route barrier uses. */
  default Membership wrapBarrierMembership(Membership membership) {
    return membership;
  }

  /** The serving state that sessions and delivery use. */
  default ServingState servingState(Membership membership) {
    return membership::notServingReason;
  }

  /** The source of the timestamps of log entries. */
  default LongSupplier timestampSource(ClusterClock clock, SimMachine machine) {
    return clock::stampMillis;
  }

  /** Whether a node accepts an empty replica of routes. */
  default PlacementAgent.Consent wrapConsent(PlacementAgent.Consent consent) {
    return consent;
  }

  /** Wraps the services that other nodes call. */
  default PeerServices wrapPeerServices(PeerServices services) {
    return services;
  }

  /** Wraps the consensus host that runs the groups of the replicas. */
  default ConsensusHost wrapConsensusHost(SimHost host, SimKv kv) {
    return host;
  }
}
