package io.fjordmq.broker.delivery;

/** Receives the outcome of a PUBLISH, once. */
@FunctionalInterface
public interface PublishListener {
  /**
   * Called on any thread, possibly before {@link PublishRouter#publish} returns; must not block.
   */
  void onPublished(PublishOutcome outcome);
}
