package io.fjordmq.perf.load;

import io.fjordmq.perf.LoadClient;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Lets clients come: at a steady rate, counted from the time at which each should have begun, or as
 * fast as the broker takes them, a few at a time. One thread calls; answers come on event loops.
 */
final class Arrivals {
  /** At a time, without a rate. */
  private static final int CLOSED = 64;

  /** At a time, with one: more would be a broker that has stopped answering. */
  private static final int OPEN = 10_000;

  private static final int ANSWER_SECONDS = 30;
  private static final int REASONS = 20;
  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);

  private final double perSecond;
  private final int most;
  private final Semaphore pending;
  private final Recorder connecting = new Recorder(HIGHEST_MICROS, 3);
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final Map<String, AtomicInteger> reasons = new ConcurrentHashMap<>();
  private volatile long startNanos;
  private volatile long lastNanos;
  private int begun;

  /**
   * @param perSecond 0 for as fast as possible
   */
  Arrivals(double perSecond) {
    this.perSecond = perSecond;
    this.most = perSecond > 0 ? OPEN : CLOSED;
    this.pending = new Semaphore(most);
  }

  /**
   * One more; waits for its turn.
   *
   * @param connect begins its connection
   * @param then what it does once connected, on its event loop; only after that it has arrived
   */
  void next(
      Supplier<CompletableFuture<LoadClient>> connect,
      Function<LoadClient, CompletableFuture<LoadClient>> then)
      throws InterruptedException {
    long intended = System.nanoTime();
    if (begun++ == 0) {
      startNanos = intended;
    }
    if (perSecond > 0) {
      intended = startNanos + (long) ((begun - 1) * (TimeUnit.SECONDS.toNanos(1) / perSecond));
      waitUntil(intended);
    }
    pending.acquire();
    long from = perSecond > 0 ? intended : System.nanoTime();
    connect
        .get()
        .thenCompose(
            client -> {
              long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - from);
              connecting.recordValue(Math.min(HIGHEST_MICROS, micros));
              return then.apply(client);
            })
        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
        .whenComplete((client, error) -> arrived(error));
  }

  private static void waitUntil(long nanos) throws InterruptedException {
    while (nanos - System.nanoTime() > 0) {
      LockSupport.parkNanos(nanos - System.nanoTime());
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private void arrived(@Nullable Throwable error) {
    if (error == null) {
      accepted.incrementAndGet();
      lastNanos = System.nanoTime();
    } else {
      refused.incrementAndGet();
      note(reason(error));
    }
    pending.release();
  }

  /** In a few words. */
  static String reason(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof TimeoutException) {
      return "no answer in " + ANSWER_SECONDS + " s";
    }
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }

  /** Something that went wrong with a connection, for the report. Any thread. */
  void note(String reason) {
    if (reasons.size() < REASONS || reasons.containsKey(reason)) {
      reasons.computeIfAbsent(reason, none -> new AtomicInteger()).incrementAndGet();
    }
  }

  /** Blocks until all that have begun have an answer. */
  void await() throws InterruptedException {
    pending.acquire(most);
    pending.release(most);
  }

  /** A second, from the first that began to the last that was accepted. */
  double acceptedPerSecond() {
    return accepted.get() * 1e9 / Math.max(1, lastNanos - startNanos);
  }

  int accepted() {
    return accepted.get();
  }

  int refused() {
    return refused.get();
  }

  /** From when a client should have begun to its CONNACK, microseconds. */
  Recorder connecting() {
    return connecting;
  }

  /** What went wrong, and how often. */
  Map<String, Integer> reasons() {
    Map<String, Integer> counts = new TreeMap<>();
    reasons.forEach((reason, count) -> counts.put(reason, count.get()));
    return counts;
  }
}
