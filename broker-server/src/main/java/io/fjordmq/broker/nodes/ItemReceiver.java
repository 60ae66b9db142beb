package io.fjordmq.broker.nodes;

/** Takes what other nodes say. Called for the items of one node in their order, each once. */
public interface ItemReceiver {

  /** Told whether the item was taken. */
  @FunctionalInterface
  interface Answer {
    /** Once, on any thread, now or later; must not block. */
    void taken(boolean taken);
  }

  /** Takes an item. Must not block. */
  void take(NodeItem item, Answer answer);

  /** All items that came together have been handed over, on the same thread. */
  void endOfBatch();
}
