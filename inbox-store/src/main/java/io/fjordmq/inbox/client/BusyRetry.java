package io.fjordmq.inbox.client;

import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.range.RangeException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Retries calls that a busy range has rejected, with exponential backoff and a maximum number of
 * attempts. Intended for calls whose callers do not retry.
 */
final class BusyRetry {
  /** The backoff is doubled at most this many times. */
  static final int MAX_DOUBLINGS = 5;

  private final InboxSettings settings;
  private final Timers timers;
  private final InboxObserver observer;

  BusyRetry(InboxSettings settings, Timers timers, InboxObserver observer) {
    this.settings = settings;
    this.timers = timers;
    this.observer = observer;
  }

  /**
   * Returns true if a failed call should be retried.
   *
   * @param refusals number of rejections before this failure
   */
  boolean shouldRetry(Throwable failure, int refusals) {
    return isBusy(failure) && refusals < settings.maxBusyRetries();
  }

  /**
   * Returns true if a busy range has rejected the call. If only some ranges of a call were busy,
   * the rejection is the cause of the failure.
   */
  private static boolean isBusy(Throwable failure) {
    return failure instanceof RangeException refused
        && (refused.kind() == RangeException.Kind.BUSY
            || (refused.getCause() != null && isBusy(refused.getCause())));
  }

  void schedule(int refusals, Runnable retry) {
    observer.onBusyRetry();
    long baseMillis = settings.busyBackoff().toMillis();
    timers.schedule(baseMillis << Math.min(refusals, MAX_DOUBLINGS), retry);
  }

  /** Makes a call and retries it while the range is busy. The call must be idempotent. */
  <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    attempt(call, 0, result);
    return result;
  }

  private <T> void attempt(
      Supplier<CompletableFuture<T>> call, int refusals, CompletableFuture<T> result) {
    call.get()
        .whenComplete(
            (response, failure) -> {
              Throwable cause = failure == null ? null : OperationException.unwrap(failure);
              if (cause == null) {
                result.complete(response);
              } else if (shouldRetry(cause, refusals)) {
                schedule(refusals, () -> attempt(call, refusals + 1, result));
              } else {
                result.completeExceptionally(cause);
              }
            });
  }
}
