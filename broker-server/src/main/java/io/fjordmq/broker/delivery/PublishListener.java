package io.fjordmq.broker.delivery;

import io.fjordmq.broker.telemetry.PublishSpan;
import org.jspecify.annotations.Nullable;

/** Receives the outcome of a PUBLISH. */
@FunctionalInterface
public interface PublishListener {
  /**
   * Called exactly once, on any thread and possibly before {@link PublishRouter#publish} returns.
   * Must not block.
   */
  void onPublished(PublishOutcome outcome);

  /** The span of the PUBLISH; null if it is not traced. */
  default @Nullable PublishSpan span() {
    return null;
  }
}
