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
 * @param timeout for an answer
 */
record Provider<E extends Extension>(
    String name, E extension, Executor executor, Duration timeout, RateLimitedLog failures) {
  private static final Logger LOG = LoggerFactory.getLogger(Provider.class);

  static <E extends Extension> Provider<E> of(
      String name, E extension, Executor executor, Duration timeout) {
    return new Provider<>(name, extension, executor, timeout, new RateLimitedLog());
  }

  /** Calls the extension; {@link #cause} explains a failed future. */
  <T> CompletableFuture<T> ask(Function<E, CompletionStage<T>> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      executor.execute(() -> call(question, answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(e);
    }
    return answer.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private <T> void call(Function<E, CompletionStage<T>> question, CompletableFuture<T> answer) {
    if (answer.isDone()) {
      return; // timed out while it waited for a thread
    }
    try {
      question
          .apply(extension)
          .whenComplete(
              (value, error) -> {
                if (error != null) {
                  answer.completeExceptionally(error);
                } else if (value == null) {
                  answer.completeExceptionally(
                      new NullPointerException("the extension returned null"));
                } else {
                  answer.complete(value);
                }
              });
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      answer.completeExceptionally(e);
    }
  }

  /** Notifies the extension without waiting for an answer; dropped if too many calls wait. */
  void callAsync(Consumer<E> what) {
    try {
      executor.execute(
          () -> {
            try {
              what.accept(extension);
            } catch (RuntimeException | LinkageError | StackOverflowError e) {
              LOG.debug("{} failed", name, e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("Notification of {} was rejected: {}", name, e.toString());
    }
  }

  /** Why a call has no answer; logs failures. */
  DenialCause cause(Throwable error, String question) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    DenialCause found =
        cause instanceof TimeoutException
            ? DenialCause.TIMED_OUT
            : cause instanceof RejectedExecutionException ? DenialCause.BUSY : DenialCause.FAILED;
    @Nullable String leftOut = failures.permit();
    if (leftOut != null) {
      LOG.warn(
          "Denied '{}': {} did not decide ({}): {}{}",
          question,
          name,
          found.label(),
          found == DenialCause.TIMED_OUT ? "no answer within " + timeout.toMillis() + " ms" : cause,
          leftOut);
      LOG.debug("{} failed", name, cause);
    }
    return found;
  }
}
