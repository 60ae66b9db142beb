package io.fjordmq.broker.nodes;

/** Told once what became of an item. */
@FunctionalInterface
public interface ItemListener {
  /** For whom it does not matter. */
  ItemListener NOBODY = outcome -> {};

  /** On any thread, possibly before the item is offered; must not block. */
  void settled(ItemOutcome outcome);
}
