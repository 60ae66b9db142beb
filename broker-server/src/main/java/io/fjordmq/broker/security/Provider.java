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
 * Isolates an extension of a plugin. Calls run on the plugin's threads and time out; exceptions
 * become failed futures. Thread-safe.
 *
 * @param name the name shown to operators, e.g. {@code plugin my-auth}
 * @param extension the extension to call
 * @param executor runs the calls; rejects calls when too many are waiting
 * @param timeout the time limit for a response
 * @param failures limits the rate at which failed calls are logged
 */
record Provider<E extends Extension>(
    String name, E extension, Executor executor, Duration timeout, RateLimitedLog failures) {
  private static final Logger LOG = LoggerFactory.getLogger(Provider.class);

  static <E extends Extension> Provider<E> of(
      String name, E extension, Executor executor, Duration timeout) {
    return new Provider<>(name, extension, executor, timeout, new RateLimitedLog());
  }

  /** Calls the extension. If the future fails, {@link #cause} determines the cause. */
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
      return; // the call timed out while waiting for a thread
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

  /**
   * Notifies the extension without waiting for a response. The notification is dropped if too many
   * calls are waiting.
   */
  void callAsync(Consumer<E> notification) {
    try {
      executor.execute(
          () -> {
            try {
              notification.accept(extension);
            } catch (RuntimeException | LinkageError | StackOverflowError e) {
              LOG.debug("Notification failed provider={}", name, e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("Notification rejected: {} provider={}", e.toString(), name);
    }
  }

  /** Returns the cause of a failed call, and logs the failure at a limited rate. */
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
          "Denied '{}' because {} did not decide ({}): {}{}",
          request,
          name,
          found.label(),
          found == DenialCause.TIMED_OUT
              ? "no response within " + timeout.toMillis() + " ms"
              : cause,
          suppressed);
      LOG.debug("Call failed provider={}", name, cause);
    }
    return found;
  }
}
