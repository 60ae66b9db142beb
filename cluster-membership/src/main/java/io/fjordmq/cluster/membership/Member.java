package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;

/**
 * A node of the cluster, as the metadata have it.
 *
 * @param address of its cluster port
 * @param incarnation of its present or last life
 */
public record Member(NodeId node, NodeAddress address, long incarnation, State state) {

  /** What the cluster does with it. */
  public enum State {
    /** It said that it is ready and has not let its lease run out: everybody counts on it. */
    UP,
    /** As UP, and asked to give away what it leads because it is about to stop. */
    DRAINING,
    /** Its lease has run out: that life is over, what it held live is gone. */
    DOWN,
    /** As UP, but its disk has little room: leads nothing that another can lead. */
    FULL,
    /** As UP, but its disk makes writes wait for seconds: leads nothing that another can lead. */
    SLOW,
    /** As UP, and asked to give away all it has because it is about to go for good. */
    LEAVING,
    /**
     * It has registered and holds a lease. Its replicas open and catch up; nobody waits for it yet.
     */
    STARTING
  }

  /** All but DOWN: it holds a lease, and its replicas take part in their groups. */
  public boolean isAlive() {
    return state != State.DOWN;
  }

  /** Routes take effect only when this node has them, and deliveries to it are owed. */
  public boolean isCounted() {
    return isAlive() && state != State.STARTING;
  }
}
