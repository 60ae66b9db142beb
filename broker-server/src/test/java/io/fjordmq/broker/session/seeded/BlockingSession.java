package io.fjordmq.broker.session.seeded;

import java.util.concurrent.CompletableFuture;

/** Waits on an event loop. */
public final class BlockingSession {
  private BlockingSession() {}

  /** Blocks the calling thread. */
  public static String await(CompletableFuture<String> answer) {
    return answer.join();
  }
}
