package io.fjordmq.broker.dispatch;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Makes low-priority calls in order and limits the number of concurrent calls. The queue itself is
 * unbounded; callers limit how many calls they queue. Thread-safe.
 */
public final class BoundedCalls {

  private record QueuedCall<T>(Supplier<CompletableFuture<T>> call, CompletableFuture<T> result) {}

  private final int maxInFlight;
  private final Queue<QueuedCall<?>> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingCount = new AtomicInteger();
  private final AtomicInteger inFlight = new AtomicInteger();

  public BoundedCalls(int maxInFlight) {
    this.maxInFlight = maxInFlight;
  }

  /** Queues the call; the future completes with its result. */
  public <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    waitingCount.incrementAndGet();
    waiting.add(new QueuedCall<>(call, result));
    startCalls();
    return result;
  }

  /** The number of queued calls. */
  public int queuedCount() {
    return waitingCount.get();
  }

  private void startCalls() {
    while (!waiting.isEmpty() && tryAcquire()) {
      QueuedCall<?> next = waiting.poll();
      if (next == null) {
        inFlight.decrementAndGet();
        continue;
      }
      waitingCount.decrementAndGet();
      if (startCall(next)) {
        inFlight.decrementAndGet(); // already complete; continue in this loop to avoid recursion
      }
    }
  }

  private boolean tryAcquire() {
    for (int now = inFlight.get(); now < maxInFlight; now = inFlight.get()) {
      if (inFlight.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Starts a call. Returns true if it is already complete; otherwise its completion starts the next
   * queued call.
   */
  private <T> boolean startCall(QueuedCall<T> next) {
    CompletableFuture<T> future = StoreCalls.tryCall(next.call);
    if (future.isDone()) {
      StoreCalls.forward(future, next.result);
      return true;
    }
    future.whenComplete(
        (value, fault) -> {
          inFlight.decrementAndGet();
          StoreCalls.complete(next.result, value, fault);
          startCalls();
        });
    return false;
  }
}
