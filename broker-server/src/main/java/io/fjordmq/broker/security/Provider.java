package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import io.fjordmq.broker.limits.RateLimitedLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Isolates an extension: calls run on its own threads and time out, and exceptions become failed
 * futures. Thread-safe.
 *
 * @param name for operators, e.g. {@code plugin my-auth}
 * @param extension to call
 * @param executor runs the calls; rejects them when too many wait
 * @param timeout for a response
 */
record Provider<E extends Extension>(
    String name, E extension, Executor executor, Duration timeout, RateLimitedLog failures) {
  private static final Logger LOG = LoggerFactory.getLogger(Provider.class);

  static <E extends Extension> Provider<E> of(
      String name, E extension, Executor executor, Duration timeout) {
    return new Provider<>(name, extension, executor, timeout, new RateLimitedLog());
  }

  /** Calls the extension; {@link #cause} explains a failed future. */
  <T> CompletableFuture<T> invoke(Function<E, CompletionStage<T>> request) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      executor.execute(() -> call(request, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(e);
    }
    return result.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private <T> void call(Function<E, CompletionStage<T>> request, CompletableFuture<T> result) {
    if (result.isDone()) {
      return; // timed out while it waited for a thread
    }
    try {
      request
          .apply(extension)
          .whenComplete(
              (value, error) -> {
                if (error != null) {
                  result.completeExceptionally(error);
                } else if (value == null) {
                  result.completeExceptionally(
                      new NullPointerException("the extension returned null"));
                } else {
                  result.complete(value);
                }
              });
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      result.completeExceptionally(e);
    }
  }

  /** Notifies the extension without waiting for a response; dropped if too many calls wait. */
  void callAsync(Consumer<E> notification) {
    try {
      executor.execute(
          () -> {
            try {
              notification.accept(extension);
            } catch (RuntimeException | LinkageError | StackOverflowError e) {
              LOG.debug("{} failed", name, e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("Notification of {} was rejected: {}", name, e.toString());
    }
  }

  /** Why a call has no response; logs failures. */
  DenialCause cause(Throwable error, String request) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    DenialCause found =
        cause instanceof TimeoutException
            ? DenialCause.TIMED_OUT
            : cause instanceof RejectedExecutionException ? DenialCause.BUSY : DenialCause.FAILED;
    @Nullable String suppressed = failures.permit();
    if (suppressed != null) {
      LOG.warn(
          "Denied '{}': {} did not decide ({}): {}{}",
          request,
          name,
          found.label(),
          found == DenialCause.TIMED_OUT
              ? "no response within " + timeout.toMillis() + " ms"
              : cause,
          suppressed);
      LOG.debug("{} failed", name, cause);
    }
    return found;
  }
}
