package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.broker.limits.RateLimitedLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a provider: limits the number of unanswered and of waiting calls and the time for an
 * result, repeats calls if this is safe, and stops calling a provider that fails. Thread-safe; does
 * not block.
 */
final class CallGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CallGuard.class);

  private final String name;
  private final ProviderLimits limits;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final ProviderMeter meter;
  private final CircuitBreaker breaker;
  private final RateLimitedLog failures = new RateLimitedLog();
  // Guards the fields below.
  private final Object lock = new Object();
  private final Deque<Call<?>> waiting = new ArrayDeque<>();
  private int running;
  private boolean closed;

  /**
   * @param name the name of the provider in the log
   * @param executor runs the calls; its queue must hold all unanswered calls
   */
  CallGuard(
      String name,
      ProviderLimits limits,
      Executor executor,
      ProviderMeter meter,
      LongSupplier nanoTime) {
    this.name = name;
    this.limits = limits;
    this.executor = executor;
    this.meter = meter;
    this.nanoTime = nanoTime;
    this.breaker = new CircuitBreaker(limits.breakerFailures(), limits.breakerTime(), nanoTime);
  }

  /**
   * Calls the provider.
   *
   * @param request makes the call; runs on the executor
   * @param abandoned whether nobody waits for the result anymore; checked before the call begins
   * @param outcome the outcome of a result, for metrics
   * @return the result, or a {@link CallFailedException}; completes on any thread
   */
  <T> CompletableFuture<T> call(
      Supplier<CompletionStage<T>> request,
      BooleanSupplier abandoned,
      Function<T, CallOutcome> outcome) {
    Call<T> call = new Call<>(request, abandoned, nanoTime.getAsLong());
    CompletableFuture<T> result =
        call.result
            .orTimeout(limits.timeout().toMillis(), TimeUnit.MILLISECONDS)
            .handle((value, error) -> call.finish(value, error, outcome))
            .thenCompose(Function.identity());
    CallOutcome refusal = enqueue(call);
    if (refusal != null) {
      call.refuse(refusal);
    }
    return result;
  }

  /** Starts the call or lets it wait; returns the reason if it is refused. */
  private @Nullable CallOutcome enqueue(Call<?> call) {
    if (breaker.refuses()) {
      return CallOutcome.BREAKER_OPEN;
    }
    synchronized (lock) {
      if (closed) {
        return CallOutcome.FAILED;
      }
      if (running >= limits.maxConcurrent()) {
        if (waiting.size() >= limits.maxWaiting()) {
          return CallOutcome.BUSY;
        }
        waiting.add(call);
        meter.addWaiting(1);
        return null;
      }
      running++;
    }
    if (!call.start()) {
      onCallEnded();
    }
    return null;
  }

  /** Ends a running call and starts waiting ones. */
  private void onCallEnded() {
    while (true) {
      Call<?> next;
      synchronized (lock) {
        next = waiting.poll();
        if (next == null) {
          running--;
          return;
        }
      }
      meter.addWaiting(-1);
      if (next.startIfWanted()) {
        return;
      }
    }
  }

  boolean isOpen() {
    return breaker.isOpen();
  }

  /** Fails all waiting calls; later calls fail, too. */
  @Override
  public void close() {
    Deque<Call<?>> rest;
    synchronized (lock) {
      closed = true;
      rest = new ArrayDeque<>(waiting);
      waiting.clear();
    }
    meter.addWaiting(-rest.size());
    rest.forEach(call -> call.refuse(CallOutcome.FAILED));
  }

  /** One call, including its repetitions. */
  private final class Call<T> {
    private final Supplier<CompletionStage<T>> request;
    private final BooleanSupplier abandoned;
    private final long requestedAt;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<T> current;
    private volatile boolean permitted;
    private int repetitions;

    private Call(
        Supplier<CompletionStage<T>> request, BooleanSupplier abandoned, long requestedAt) {
      this.request = request;
      this.abandoned = abandoned;
      this.requestedAt = requestedAt;
    }

    private void refuse(CallOutcome reason) {
      result.completeExceptionally(
          new CallFailedException(
              reason,
              switch (reason) {
                case BUSY -> "too many calls are waiting";
                case BREAKER_OPEN -> "the circuit breaker is open after repeated failures";
                case ABANDONED -> "the client disconnected";
                default -> "the node is stopping";
              },
              null));
    }

    /** Starts a call that has waited; false if there is nothing to do for it. */
    private boolean startIfWanted() {
      if (result.isDone()) {
        return false; // timed out
      }
      if (abandoned.getAsBoolean()) {
        refuse(CallOutcome.ABANDONED);
        return false;
      }
      return start();
    }

    /** Begins the call; false if it was refused. */
    private boolean start() {
      if (!breaker.tryBegin()) {
        refuse(CallOutcome.BREAKER_OPEN);
        return false;
      }
      permitted = true;
      try {
        // The place is kept until the executor has run the call, even if the call has timed out by
        // then. The queue of an executor whose threads are blocked is therefore bounded.
        executor.execute(this::run);
        return true;
      } catch (RejectedExecutionException e) {
        refuse(CallOutcome.FAILED);
        return false;
      }
    }

    private void run() {
      if (result.isDone()) {
        onCallEnded();
        return;
      }
      CompletableFuture<T> made;
      try {
        made = request.get().toCompletableFuture();
      } catch (RuntimeException | LinkageError | StackOverflowError e) {
        made = CompletableFuture.failedFuture(e);
      }
      current = made;
      made.whenComplete(this::onCompletion);
      if (result.isDone()) {
        made.cancel(true); // timed out meanwhile
      }
    }

    private void onCompletion(@Nullable T value, @Nullable Throwable error) {
      if (mayRepeat(error)) {
        repetitions++;
        try {
          executor.execute(this::run);
          return;
        } catch (RejectedExecutionException e) {
          LOG.debug("Not retrying a call: the provider is closed provider={}", name);
        }
      }
      if (error != null) {
        result.completeExceptionally(error);
      } else if (value == null) {
        result.completeExceptionally(new NullPointerException("the provider returned null"));
      } else {
        result.complete(value);
      }
      onCallEnded();
    }

    private boolean mayRepeat(@Nullable Throwable error) {
      return error != null
          && !result.isDone()
          && repetitions < limits.retries()
          && causeOf(error) instanceof ProviderException failure
          && failure.isSafeToRetry();
    }

    /** Counts the outcome and converts failures. */
    private CompletableFuture<T> finish(
        @Nullable T value, @Nullable Throwable error, Function<T, CallOutcome> outcome) {
      long nanos = nanoTime.getAsLong() - requestedAt;
      if (value != null && error == null) {
        report(breaker.onSuccess(), "");
        meter.onCall(outcome.apply(value), nanos);
        return CompletableFuture.completedFuture(value);
      }
      CallFailedException failure = failureOf(error);
      if (failure.outcome() == CallOutcome.FAILED || failure.outcome() == CallOutcome.TIMED_OUT) {
        if (permitted && isAboutClient(failure)) {
          breaker.onNotCalled(); // says nothing about calls for other clients
        } else if (permitted) {
          report(breaker.onFailure(), String.valueOf(failure.getMessage()));
        }
        log(failure);
      } else if (permitted) {
        breaker.onNotCalled();
      }
      meter.onCall(failure.outcome(), nanos);
      CompletableFuture<T> made = current;
      if (made != null) {
        made.cancel(true);
      }
      return CompletableFuture.failedFuture(failure);
    }
  }

  private CallFailedException failureOf(@Nullable Throwable error) {
    Throwable cause = error == null ? null : causeOf(error);
    if (cause instanceof CallFailedException known) {
      return known;
    }
    if (cause instanceof TimeoutException) {
      String message = "no response within " + limits.timeout().toMillis() + " ms";
      return new CallFailedException(CallOutcome.TIMED_OUT, message, null);
    }
    if (cause instanceof ProviderException failure) {
      return new CallFailedException(
          CallOutcome.FAILED, String.valueOf(failure.getMessage()), failure);
    }
    return new CallFailedException(CallOutcome.FAILED, String.valueOf(cause), cause);
  }

  private static boolean isAboutClient(CallFailedException failure) {
    return failure.getCause() instanceof ProviderException cause && cause.isAboutClient();
  }

  private static Throwable causeOf(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private void report(CircuitBreaker.Change change, String failure) {
    switch (change) {
      case OPENED -> {
        meter.onBreaker(true);
        LOG.warn(
            "Circuit breaker opened for {} ms after {} consecutive failures; last failure: {}"
                + " provider={}",
            limits.breakerTime().toMillis(),
            limits.breakerFailures(),
            failure,
            name);
      }
      case CLOSED -> {
        meter.onBreaker(false);
        LOG.info("Circuit breaker closed: the provider responds again provider={}", name);
      }
      case NONE -> {}
    }
  }

  private void log(CallFailedException failure) {
    if (failure.getCause() instanceof CancellationException) {
      return;
    }
    @Nullable String suppressed = failures.permit();
    if (suppressed != null) {
      LOG.warn(
          "Provider call failed ({}): {}{} provider={}",
          failure.outcome().label(),
          failure.getMessage(),
          suppressed,
          name);
      LOG.debug("Call failed provider={}", name, failure.getCause());
    }
  }
}
