package io.fjordmq.broker.dispatch;

import io.fjordmq.router.Receiver;
import java.util.function.LongSupplier;

/** The identity of this node in routes and inboxes. Thread-safe. */
public final class LocalNode {
  private final String id;
  private final LongSupplier incarnation;

  /**
   * @param id node id
   * @param incarnation the current incarnation; higher than every earlier one
   */
  public LocalNode(String id, LongSupplier incarnation) {
    this.id = id;
    this.incarnation = incarnation;
  }

  /** A node with a constant incarnation. */
  public LocalNode(String id, long incarnation) {
    this(id, () -> incarnation);
  }

  /** Node id. */
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

  /** This node in one of its incarnations as a receiver, for all its clients or a share member. */
  Receiver.Live receiver(long incarnation, String member) {
    return new Receiver.Live(id, incarnation, member);
  }
}
