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
 * An extension and the fence around it: it is called on threads of its own, has so long to answer,
 * and whatever it throws becomes a failed future. Thread-safe.
 *
 * @param name for operators, e.g. {@code plugin my-auth}
 * @param extension what is asked
 * @param executor of the calls; refuses when too many wait
 * @param timeout for an answer
 */
record Provider<E extends Extension>(
    String name, E extension, Executor executor, Duration timeout, RateLimitedLog failures) {
  private static final Logger LOG = LoggerFactory.getLogger(Provider.class);

  static <E extends Extension> Provider<E> of(
      String name, E extension, Executor executor, Duration timeout) {
    return new Provider<>(name, extension, executor, timeout, new RateLimitedLog());
  }

  /** Asks; the future fails as {@link #cause} tells. */
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
      return; // it waited for a thread until its time was over
    }
    try {
      question
          .apply(extension)
          .whenComplete(
              (value, error) -> {
                if (error != null) {
                  answer.completeExceptionally(error);
                } else if (value == null) {
                  answer.completeExceptionally(new NullPointerException("the answer is null"));
                } else {
                  answer.complete(value);
                }
              });
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      answer.completeExceptionally(e);
    }
  }

  /** Says something that needs no answer; too many that wait are forgotten. */
  void tell(Consumer<E> what) {
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
      LOG.debug("{} is not told: {}", name, e.toString());
    }
  }

  /** Why a question has no answer; a failure is logged. */
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
