package io.fjordmq.broker.nodes;

/** The outcome of an item at the receiving node. */
public enum ItemOutcome {
  /** The node has accepted the item. */
  ACCEPTED,
  /**
   * The member of the share did not accept the message, or the node cannot decode or handle the
   * item.
   */
  REJECTED,
  /** The queue of a share member is full; the message stays in its store. */
  NO_CAPACITY,
  /**
   * The incarnation of the node to which the item was sent has ended. It may have accepted the
   * item.
   */
  INCARNATION_ENDED,
  /** The node has not responded in time. It may have accepted the item or may still accept it. */
  OVERDUE,
  /**
   * This node's incarnation has ended or the node is closing. The other node may have accepted the
   * item.
   */
  ABANDONED
}
