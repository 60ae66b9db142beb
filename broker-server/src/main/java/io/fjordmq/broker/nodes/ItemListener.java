package io.fjordmq.broker.nodes;

/** Receives the outcome of an item, once. */
@FunctionalInterface
public interface ItemListener {
  /** Ignores the outcome. */
  ItemListener NONE = outcome -> {};

  /**
   * Called on any thread, possibly before the call that offers the item returns; must not block.
   */
  void onOutcome(ItemOutcome outcome);
}
