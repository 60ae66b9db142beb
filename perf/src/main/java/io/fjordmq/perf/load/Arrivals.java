package io.fjordmq.perf.load;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import java.io.IOException;
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
 * Connects clients: either at a steady rate, measuring latencies from the scheduled time of each
 * connect, or as fast as the broker accepts them, with a bounded number of connects in progress.
 * Called by one thread; responses arrive on event loops.
 */
public final class Arrivals {
  /** Maximum number of connects in progress without a rate. */
  private static final int MAX_PENDING_WITHOUT_RATE = 64;

  /**
   * Maximum number of connects in progress with a rate. It is only reached if the broker no longer
   * responds.
   */
  private static final int MAX_PENDING_WITH_RATE = 10_000;

  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);

  private final double perSecond;
  private final int maxPending;
  private final Semaphore pending;
  private final Recorder connecting = new Recorder(HIGHEST_MICROS, 3);
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final ErrorCounts errorCounts = new ErrorCounts();
  private volatile long startNanos;
  private volatile long lastNanos;
  private int started;

  /**
   * @param perSecond connection rate; 0 to connect as fast as the broker accepts clients
   */
  Arrivals(double perSecond) {
    this(perSecond, perSecond > 0 ? MAX_PENDING_WITH_RATE : MAX_PENDING_WITHOUT_RATE);
  }

  private Arrivals(double perSecond, int maxPending) {
    this.perSecond = perSecond;
    this.maxPending = maxPending;
    this.pending = new Semaphore(maxPending);
  }

  /** Connects clients without a rate; a number of them is in progress at any time. */
  public static Arrivals atOnce(int clients) {
    return new Arrivals(0, clients);
  }

  /**
   * Connects another client for some operations that end its connection. Blocks like {@link
   * #connectNext(String, Supplier, Function, Consumer, Runnable)}.
   *
   * @param operations operations after the CONNACK, which must succeed
   * @throws IOException if a client was refused, or its operations failed
   */
  public void connectNext(
      String name,
      Supplier<CompletableFuture<LoadClient>> connect,
      Function<LoadClient, CompletableFuture<LoadClient>> operations)
      throws IOException, InterruptedException {
    requireNoneRefused();
    connectNext(name, connect, operations, client -> {}, () -> {});
  }

  /**
   * Blocks until every started connect has completed.
   *
   * @throws IOException if a client was refused, or its operations failed
   */
  public void requireAll() throws IOException, InterruptedException {
    await();
    requireNoneRefused();
  }

  private void requireNoneRefused() throws IOException {
    if (refused() > 0) {
      throw new IOException("clients failed: " + String.join("; ", errorCounts.lines()));
    }
  }

  /**
   * Connects another client. Blocks until its scheduled time and until a further connect may be in
   * progress.
   *
   * @param name name of the client for the report if the client is refused
   * @param connect starts the connection
   * @param then runs further steps after the CONNACK, which must succeed as well
   * @param onConnected receives the client if everything succeeds; called before {@link #await}
   *     returns
   * @param refused called if any step fails, even if the client is connected
   */
  void connectNext(
      String name,
      Supplier<CompletableFuture<LoadClient>> connect,
      Function<LoadClient, CompletableFuture<LoadClient>> then,
      Consumer<LoadClient> onConnected,
      Runnable refused)
      throws InterruptedException {
    long intended = System.nanoTime();
    if (started++ == 0) {
      startNanos = intended;
    }
    if (perSecond > 0) {
      intended = startNanos + (long) ((started - 1) * (TimeUnit.SECONDS.toNanos(1) / perSecond));
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
        .orTimeout(ClientLoops.RESPONSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .whenComplete(
            (client, error) -> {
              try {
                if (error == null) {
                  accepted.incrementAndGet(); // first, because a connected client can be lost
                  lastNanos = System.nanoTime();
                  onConnected.accept(client);
                } else {
                  this.refused.incrementAndGet();
                  errorCounts.note(reason(error), name);
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

  /** Returns a short description of the error for the report. */
  static String reason(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof TimeoutException) {
      return "no response within " + ClientLoops.RESPONSE_TIMEOUT_SECONDS + " s";
    }
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }

  /** Blocks until every started connect has completed or failed. */
  void await() throws InterruptedException {
    pending.acquire(maxPending);
    pending.release(maxPending);
  }

  /**
   * Returns the number of accepted clients per second, from the first start to the last CONNACK.
   */
  double acceptedPerSecond() {
    return accepted.get() * 1e9 / Math.max(1, lastNanos - startNanos);
  }

  int accepted() {
    return accepted.get();
  }

  int refused() {
    return refused.get();
  }

  /** Returns the latencies until the CONNACK, in microseconds. */
  Recorder connecting() {
    return connecting;
  }

  /** Returns why clients were refused. */
  ErrorCounts reasons() {
    return errorCounts;
  }
}
