package io.fjordmq.broker.nodes;

/** Receives the outcome of an item. */
@FunctionalInterface
public interface ItemListener {
  /** Ignores the outcome. */
  ItemListener NONE = outcome -> {};

  /**
   * Called exactly once, on any thread and possibly before the call that offers the item returns.
   * Must not block.
   */
  void onOutcome(ItemOutcome outcome);
}
