package io.fjordmq.broker.delivery;

/** Told once what became of a PUBLISH. */
@FunctionalInterface
public interface PublishListener {
  /** On any thread, possibly before {@link PublishRouter#publish} returns; must not block. */
  void published(PublishOutcome outcome);
}
