package io.fjordmq.broker.nodes;

import io.fjordmq.cluster.NodeId;

/**
 * Receives items from other nodes. Called once for each item, and in order for the items of one
 * node.
 */
public interface ItemReceiver {

  /**
   * Sends the outcome of an item to the sender. Must be called once, immediately or later, on any
   * thread; does not block.
   */
  @FunctionalInterface
  interface Responder {
    /**
     * Sends the outcome.
     *
     * @param outcome ACCEPTED or REJECTED, or NO_CAPACITY for a kept {@link NodeItem.SharePublish}
     */
    void respond(ItemOutcome outcome);

    /** Sends ACCEPTED or REJECTED. */
    default void respondAccepted(boolean accepted) {
      respond(accepted ? ItemOutcome.ACCEPTED : ItemOutcome.REJECTED);
    }
  }

  /**
   * Receives an item. Must not block.
   *
   * @param from the node that sent it
   */
  void onItem(NodeId from, NodeItem item, Responder responder);

  /** Called on the same thread after all items of a batch. */
  void onBatchComplete();
}
