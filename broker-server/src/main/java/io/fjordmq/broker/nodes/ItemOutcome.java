package io.fjordmq.broker.nodes;

/** The outcome of an item. */
public enum ItemOutcome {
  /** The node has accepted the item. */
  ACCEPTED,
  /** The node has no member for a shared-subscription message, or cannot decode the item. */
  REJECTED,
  /** The queue of a share member is full; the message stays in its store. */
  NO_CAPACITY,
  /** That incarnation of the node has ended or never existed. It may have accepted the item. */
  INCARNATION_OVER,
  /** The node has not responded in time. It may have accepted the item, or may still do so. */
  OVERDUE,
  /**
   * This node's incarnation has ended or the node is closing. The other node may have accepted the
   * item.
   */
  ABANDONED
}
