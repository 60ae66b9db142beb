package io.fjordmq.inbox;

import io.fjordmq.range.RangeException;
import io.fjordmq.range.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Makes calls again that were refused because too much waits for their range: later each time, and
 * not for ever. For calls that have nobody behind them who would try again.
 */
final class BusyRetry {
  /** The longest wait is the first one doubled so many times. */
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
   * Whether to make a call again.
   *
   * @param refusals how often it was refused before this failure
   */
  boolean isDue(Throwable failure, int refusals) {
    return isBusy(failure) && refusals < settings.maxBusyRetries();
  }

  /** A call to several ranges names as its cause that only some refused. */
  private static boolean isBusy(Throwable failure) {
    return failure instanceof RangeException refused
        && (refused.kind() == RangeException.Kind.BUSY
            || (refused.getCause() != null && isBusy(refused.getCause())));
  }

  void later(int refusals, Runnable again) {
    observer.retriedBusy();
    long first = settings.busyBackoff().toMillis();
    timers.schedule(first << Math.min(refusals, MAX_DOUBLINGS), again);
  }

  /** Makes one call, which must do no harm when it is made twice, until it is not refused. */
  <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    attempt(call, 0, result);
    return result;
  }

  private <T> void attempt(
      Supplier<CompletableFuture<T>> call, int refusals, CompletableFuture<T> result) {
    call.get()
        .whenComplete(
            (answer, failure) -> {
              Throwable cause = failure == null ? null : UnwrappedFutures.unwrap(failure);
              if (cause == null) {
                result.complete(answer);
              } else if (isDue(cause, refusals)) {
                later(refusals, () -> attempt(call, refusals + 1, result));
              } else {
                result.completeExceptionally(cause);
              }
            });
  }
}
