package io.fjordmq.broker.session.seeded;

import io.fjordmq.broker.net.Listener;
import java.util.concurrent.CompletableFuture;

/** Waits on an event loop, and knows the listener that its client came through. */
public final class BlockingSession {
  private BlockingSession() {}

  /** Blocks the calling thread. */
  public static String await(CompletableFuture<String> answer) {
    return answer.join();
  }

  /** Names a listener. */
  public static String name(Listener listener) {
    return listener.url();
  }
}
