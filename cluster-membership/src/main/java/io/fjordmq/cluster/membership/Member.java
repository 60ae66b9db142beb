package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;

/**
 * A node of the cluster, as recorded in the metadata.
 *
 * @param address the address of the node's cluster port
 * @param incarnation the current or last incarnation of the node
 */
public record Member(NodeId node, NodeAddress address, long incarnation, State state) {

  /** The state of a node. */
  public enum State {
    /** The node is ready and its lease has not expired; all nodes count it. */
    UP,
    /** Like UP, but about to stop: other nodes take over the ranges that it leads. */
    DRAINING,
    /**
     * The incarnation has ended, because its lease expired or the node stopped or suspended itself;
     * its in-memory state is lost.
     */
    DOWN,
    /**
     * Like UP, but its disk is low on space or failing: it leads nothing that another node can
     * lead.
     */
    FULL,
    /**
     * Like UP, but writes to its disk stall for seconds: it leads nothing that another node can
     * lead.
     */
    SLOW,
    /** Like UP, but being decommissioned: all its replicas and clients move to other nodes. */
    LEAVING,
    /**
     * The node has registered and holds a lease. Its replicas open and catch up; no other node
     * waits for it yet.
     */
    STARTING
  }

  /**
   * Returns whether the node is in any state but DOWN: it holds a lease, and its replicas take part
   * in their groups.
   */
  public boolean isAlive() {
    return state != State.DOWN;
  }

  /**
   * Returns whether other nodes count this node: a route takes effect only when this node has
   * applied it, and messages must be delivered to it.
   */
  public boolean isCounted() {
    return isAlive() && state != State.STARTING;
  }
}
