package io.fjordmq.broker.delivery;

/** Receives the outcome of a PUBLISH. */
@FunctionalInterface
public interface PublishListener {
  /**
   * Called exactly once, on any thread and possibly before {@link PublishRouter#publish} returns.
   * Must not block.
   */
  void onPublished(PublishOutcome outcome);
}
