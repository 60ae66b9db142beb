package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What to do with the answer of a store, on the event loop of the session that asked. */
@FunctionalInterface
interface Answered<T extends @Nullable Object> {

  /**
   * @param value the answer; null if there is none
   * @param error why there is none; null if there is one
   */
  void with(@Nullable T value, @Nullable Throwable error);

  /** Passes the answer on, on the event loop; at once if that is where it comes. */
  static <T extends @Nullable Object> void on(
      EventLoop loop, CompletableFuture<T> future, Answered<T> then) {
    future.whenComplete(
        (value, error) -> {
          Throwable cause = error instanceof CompletionException ? error.getCause() : error;
          if (loop.inEventLoop()) {
            then.with(value, cause);
          } else {
            loop.execute(() -> then.with(value, cause));
          }
        });
  }
}
