package io.fjordmq.broker.dispatch;

import io.fjordmq.router.Receiver;
import java.util.function.LongSupplier;

/** The identity of this node in routes and inboxes. Thread-safe. */
public final class LocalNode {
  private final String id;
  private final LongSupplier incarnation;

  /**
   * @param id the node id
   * @param incarnation supplies the current incarnation, which is higher than every earlier one
   */
  public LocalNode(String id, LongSupplier incarnation) {
    this.id = id;
    this.incarnation = incarnation;
  }

  /** Creates a node with a constant incarnation. */
  public LocalNode(String id, long incarnation) {
    this(id, () -> incarnation);
  }

  /** The node id. */
  public String id() {
    return id;
  }

  /** The current incarnation. */
  public long incarnation() {
    return incarnation.getAsLong();
  }

  /** Whether the route leads to this node's current incarnation. */
  public boolean isCurrentIncarnation(Receiver.Live receiver) {
    return incarnation() == receiver.incarnation() && id.equals(receiver.node());
  }

  /** Whether the route leads to another node, in any incarnation. */
  public boolean isOtherNode(Receiver.Live receiver) {
    return !id.equals(receiver.node());
  }

  /**
   * Creates the receiver that stands for this node in one of its incarnations: for all of its
   * clients, or for one share member.
   */
  Receiver.Live receiver(long incarnation, String member) {
    return new Receiver.Live(id, incarnation, member);
  }
}
