package io.fjordmq.broker.nodes;

/** Takes what other nodes say. Called for the items of one node in their order, each once. */
public interface ItemReceiver {

  /** Told once what became of the item, on any thread, now or later; must not block. */
  @FunctionalInterface
  interface Answer {
    /**
     * Tells the sender.
     *
     * @param outcome TAKEN or NOT_TAKEN; NO_ROOM for a {@link NodeItem.Shared} that is kept
     */
    void settled(ItemOutcome outcome);

    /** Tells the sender whether it was taken. */
    default void taken(boolean taken) {
      settled(taken ? ItemOutcome.TAKEN : ItemOutcome.NOT_TAKEN);
    }
  }

  /** Takes an item. Must not block. */
  void take(NodeItem item, Answer answer);

  /** All items that came together have been handed over, on the same thread. */
  void endOfBatch();
}
