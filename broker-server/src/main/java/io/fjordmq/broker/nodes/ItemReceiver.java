package io.fjordmq.broker.nodes;

/** Receives items of other nodes. Called for the items of one node in order, once for each. */
public interface ItemReceiver {

  /** Receives the outcome of an item once, on any thread, now or later; must not block. */
  @FunctionalInterface
  interface Answer {
    /**
     * Answers the sender.
     *
     * @param outcome TAKEN or NOT_TAKEN; also NO_ROOM for a {@link NodeItem.Shared} that is kept
     */
    void settled(ItemOutcome outcome);

    /** Answers the sender with TAKEN or NOT_TAKEN. */
    default void taken(boolean taken) {
      settled(taken ? ItemOutcome.TAKEN : ItemOutcome.NOT_TAKEN);
    }
  }

  /** Receives an item. Must not block. */
  void take(NodeItem item, Answer answer);

  /** Called on the same thread after all items of a batch. */
  void endOfBatch();
}
