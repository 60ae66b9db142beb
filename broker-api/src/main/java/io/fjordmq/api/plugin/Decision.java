package io.fjordmq.api.plugin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What an {@link Authorizer} says. */
public enum Decision {
  /** It may. Nobody else is asked. */
  ALLOW,
  /** It may not. Nobody else is asked. */
  DENY,
  /** The authorizer has no opinion; the next one is asked. */
  PASS;

  private final CompletionStage<Decision> now = CompletableFuture.completedStage(this);

  /** Returns this decision as a completed stage; always the same object. */
  public CompletionStage<Decision> now() {
    return now;
  }
}
