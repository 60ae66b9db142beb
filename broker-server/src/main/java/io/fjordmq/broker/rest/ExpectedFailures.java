package io.fjordmq.broker.rest;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Turns failures that the callers of an operation can cause into error responses. */
final class ExpectedFailures {
  private ExpectedFailures() {}

  /**
   * Returns a future that fails with an {@link ApiException} where the given one fails with an
   * exception of a type. Other failures remain, without the exceptions in which futures wrap them.
   *
   * @param response the error response to such an exception
   */
  static <T, E extends Exception> CompletableFuture<T> translate(
      CompletableFuture<T> result, Class<E> type, Function<E, ApiException> response) {
    return result.exceptionallyCompose(
        failure -> {
          Throwable cause = Replies.cause(failure);
          return CompletableFuture.failedFuture(
              type.isInstance(cause) ? response.apply(type.cast(cause)) : cause);
        });
  }
}
