package io.fjordmq.broker.nodes;

/** What became of an item. */
public enum ItemOutcome {
  /** The node has it. */
  TAKEN,
  /** The node has nobody to give a share's message to, or cannot read the item. */
  NOT_TAKEN,
  /** A share's member has no room for a message that waits in a store: it stays there. */
  NO_ROOM,
  /** That life of the node is over, or there never was such a one; it may have had the item. */
  LIFE_OVER,
  /** The node has not answered in time. It may have had the item, or have it later. */
  OVERDUE,
  /** This node's own life is over, or it is closing; the other may have had the item. */
  ABANDONED
}
