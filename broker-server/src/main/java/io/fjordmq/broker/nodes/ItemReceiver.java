package io.fjordmq.broker.nodes;

/** Receives items of other nodes. Called for the items of one node in order, once for each. */
public interface ItemReceiver {

  /** Receives the outcome of an item once, on any thread, now or later; must not block. */
  @FunctionalInterface
  interface Responder {
    /**
     * Responds to the sender.
     *
     * @param outcome TAKEN or NOT_TAKEN; also NO_CAPACITY for a {@link NodeItem.Shared} that is
     *     kept
     */
    void respond(ItemOutcome outcome);

    /** Responds to the sender with TAKEN or NOT_TAKEN. */
    default void respondTaken(boolean taken) {
      respond(taken ? ItemOutcome.TAKEN : ItemOutcome.NOT_TAKEN);
    }
  }

  /** Receives an item. Must not block. */
  void onItem(NodeItem item, Responder responder);

  /** Called on the same thread after all items of a batch. */
  void endOfBatch();
}
