package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Handles the result of an asynchronous call. Called on the event loop of the session that made the
 * call.
 */
@FunctionalInterface
interface ResultCallback<T extends @Nullable Object> {

  /**
   * @param value the result; null if there is none
   * @param error the cause of the failure; null on success
   */
  void onResult(@Nullable T value, @Nullable Throwable error);

  /** A connection that receives results on its event loop. */
  interface Receiver {
    /** Passes the result to the callback, even if the session has ended. */
    <T extends @Nullable Object> void whenDone(CompletableFuture<T> future, ResultCallback<T> then);

    /** Passes the result to the callback, unless the session has ended. */
    <T extends @Nullable Object> void whenDoneUnlessEnded(
        CompletableFuture<T> future, ResultCallback<T> then);
  }

  /**
   * Passes the result to the callback on the event loop; synchronously if the future completes
   * there.
   */
  static <T extends @Nullable Object> void invokeOn(
      EventLoop loop, CompletableFuture<T> future, ResultCallback<T> then) {
    future.whenComplete(
        (value, error) -> {
          Throwable cause = error instanceof CompletionException ? error.getCause() : error;
          if (loop.inEventLoop()) {
            then.onResult(value, cause);
          } else {
            loop.execute(() -> then.onResult(value, cause));
          }
        });
  }
}
