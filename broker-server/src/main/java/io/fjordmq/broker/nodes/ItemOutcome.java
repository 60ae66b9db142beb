package io.fjordmq.broker.nodes;

/** The outcome of an item. */
public enum ItemOutcome {
  /** The node has accepted the item. */
  ACCEPTED,
  /** The node has no member for a share's message, or cannot decode the item. */
  REJECTED,
  /** The queue of a share member is full; the message stays in its store. */
  NO_CAPACITY,
  /** That incarnation of the node is over or never existed; it may have taken the item. */
  INCARNATION_OVER,
  /** The node has not responded in time. It may have taken the item, or may still take it. */
  OVERDUE,
  /** This node's incarnation is over, or it is closing; the other one may have taken the item. */
  ABANDONED
}
