package io.fjordmq.broker.nodes;

/** Receives items of other nodes. Called for the items of one node in order, once for each. */
public interface ItemReceiver {

  /** Receives the outcome of an item once, on any thread, now or later; must not block. */
  @FunctionalInterface
  interface Responder {
    /**
     * Responds to the sender.
     *
     * @param outcome ACCEPTED or REJECTED; also NO_CAPACITY for a {@link NodeItem.SharePublish}
     *     that is kept
     */
    void respond(ItemOutcome outcome);

    /** Responds to the sender with ACCEPTED or REJECTED. */
    default void respondAccepted(boolean accepted) {
      respond(accepted ? ItemOutcome.ACCEPTED : ItemOutcome.REJECTED);
    }
  }

  /** Receives an item. Must not block. */
  void onItem(NodeItem item, Responder responder);

  /** Called on the same thread after all items of a batch. */
  void onBatchComplete();
}
