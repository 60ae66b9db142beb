package io.fjordmq.broker.delivery;

import io.fjordmq.router.Receiver;
import java.util.function.LongSupplier;

/** This node as routes and inboxes name it. Thread-safe. */
public final class LocalNode {
  private final String id;
  private final LongSupplier incarnation;

  /**
   * @param id node id
   * @param incarnation of the present life; higher than that of every earlier one
   */
  public LocalNode(String id, LongSupplier incarnation) {
    this.id = id;
    this.incarnation = incarnation;
  }

  /** A node with one life. */
  public LocalNode(String id, long incarnation) {
    this(id, () -> incarnation);
  }

  /** Node id. */
  public String id() {
    return id;
  }

  /** Of the present life. */
  public long incarnation() {
    return incarnation.getAsLong();
  }

  /** True if the route leads to this life, not to an earlier one or to another node. */
  boolean is(Receiver.Live receiver) {
    return incarnation() == receiver.incarnation() && id.equals(receiver.node());
  }

  /** True if the route leads to another node, whichever life of it. */
  boolean isNot(Receiver.Live receiver) {
    return !id.equals(receiver.node());
  }

  /** This node in one of its lives as a receiver: of all it serves, or of a share's member. */
  Receiver.Live receiver(long life, String member) {
    return new Receiver.Live(id, life, member);
  }
}
