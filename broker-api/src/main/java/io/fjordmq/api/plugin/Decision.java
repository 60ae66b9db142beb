package io.fjordmq.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The decision of an {@link Authorizer}.
 *
 * @since 0.1.0
 */
public enum Decision {
  /** The client may perform the action. No further authorizer is called. */
  ALLOW,
  /** The client may not perform the action. No further authorizer is called. */
  DENY,
  /** The authorizer does not decide. The broker calls the next one. */
  PASS;

  private final CompletionStage<Decision> now = CompletableFuture.completedStage(this);

  /** Returns this decision as a completed stage; always the same object. */
  public CompletionStage<Decision> now() {
    return now;
  }
}
