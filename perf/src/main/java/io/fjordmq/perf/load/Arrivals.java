package io.fjordmq.perf.load;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.HdrHistogram.Recorder;

/**
 * Lets clients come: at a steady rate, counted from the time at which each should have begun, or as
 * fast as the broker takes them, a few at a time. One thread calls; answers come on event loops.
 */
final class Arrivals {
  /** At a time, without a rate. */
  private static final int CLOSED = 64;

  /** At a time, with one: more would be a broker that has stopped answering. */
  private static final int OPEN = 10_000;

  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);

  private final double perSecond;
  private final int most;
  private final Semaphore pending;
  private final Recorder connecting = new Recorder(HIGHEST_MICROS, 3);
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final Reasons reasons = new Reasons();
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
   * @param name for the report, should it be refused
   * @param connect begins its connection
   * @param then what it does once connected; only after that it has arrived
   * @param entered gets it if it has; before {@link #await} returns
   * @param refused is told if it has not, even if it is connected
   */
  void next(
      String name,
      Supplier<CompletableFuture<LoadClient>> connect,
      Function<LoadClient, CompletableFuture<LoadClient>> then,
      Consumer<LoadClient> entered,
      Runnable refused)
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
        .orTimeout(ClientLoops.PATIENCE_SECONDS, TimeUnit.SECONDS)
        .whenComplete(
            (client, error) -> {
              try {
                if (error == null) {
                  accepted.incrementAndGet(); // first: whoever is in can be lost at any time
                  lastNanos = System.nanoTime();
                  entered.accept(client);
                } else {
                  this.refused.incrementAndGet();
                  reasons.note(reason(error), name);
                  refused.run();
                }
              } finally {
                pending.release();
              }
            });
  }

  private static void waitUntil(long nanos) throws InterruptedException {
    while (nanos - System.nanoTime() > 0) {
      LockSupport.parkNanos(nanos - System.nanoTime());
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /** In a few words. */
  static String reason(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof TimeoutException) {
      return "no answer in " + ClientLoops.PATIENCE_SECONDS + " s";
    }
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
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

  /** Why some were refused. */
  Reasons reasons() {
    return reasons;
  }
}
