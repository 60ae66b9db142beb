package io.fjordmq.broker.delivery;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Makes calls that nobody waits for urgently, a bounded number at one time, in order. Those that
 * wait are bounded by what they are about (subscriptions that have ended). Thread-safe.
 */
final class BoundedCalls {

  private record Waiting<T>(Supplier<CompletableFuture<T>> call, CompletableFuture<T> result) {}

  private final int maxInFlight;
  private final Queue<Waiting<?>> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingCount = new AtomicInteger();
  private final AtomicInteger inFlight = new AtomicInteger();

  BoundedCalls(int maxInFlight) {
    this.maxInFlight = maxInFlight;
  }

  /** Makes the call when its turn comes; completes with its result. */
  <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    waitingCount.incrementAndGet();
    waiting.add(new Waiting<>(call, result));
    makeCalls();
    return result;
  }

  /** Calls that wait for their turn. */
  int waiting() {
    return waitingCount.get();
  }

  private void makeCalls() {
    while (!waiting.isEmpty() && takePlace()) {
      Waiting<?> next = waiting.poll();
      if (next == null) {
        inFlight.decrementAndGet();
        continue;
      }
      waitingCount.decrementAndGet();
      if (make(next)) {
        inFlight.decrementAndGet(); // complete already: go on here instead of deeper in the stack
      }
    }
  }

  private boolean takePlace() {
    for (int now = inFlight.get(); now < maxInFlight; now = inFlight.get()) {
      if (inFlight.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  /** True if the call is complete; else the rest goes on when it is. */
  private <T> boolean make(Waiting<T> next) {
    CompletableFuture<T> made = StoreCalls.guarded(next.call);
    if (made.isDone()) {
      StoreCalls.pass(made, next.result);
      return true;
    }
    made.whenComplete(
        (value, fault) -> {
          inFlight.decrementAndGet();
          StoreCalls.settle(next.result, value, fault);
          makeCalls();
        });
    return false;
  }
}
