package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.load.ResultMetric;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients that connect and disconnect again in a closed loop: a fixed number of logins, {@code
 * atOnce}, is in progress at any time. Login n begins when login n − {@code atOnce} has ended.
 */
final class LoginLoop {
  private static final int TIMEOUT_SECONDS = 300;

  private final ClientLoops loops;
  private final LongFunction<ConnectSettings> settings;
  private final int atOnce;
  private final long endNanos;
  private final CountDownLatch running;
  private final LongAdder refused = new LongAdder();
  private final AtomicReference<@Nullable Throwable> refusal = new AtomicReference<>();
  private final Histogram micros = new ConcurrentHistogram(3);

  private LoginLoop(
      ClientLoops loops, int atOnce, LongFunction<ConnectSettings> settings, long endNanos) {
    this.loops = loops;
    this.settings = settings;
    this.atOnce = atOnce;
    this.endNanos = endNanos;
    this.running = new CountDownLatch(atOnce);
  }

  /** Logs in clients for the given time. Blocks. */
  static LoginLoop runFor(
      ClientLoops loops, int atOnce, LongFunction<ConnectSettings> settings, int seconds)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    return new LoginLoop(loops, atOnce, settings, end).run();
  }

  private LoginLoop run() throws InterruptedException {
    for (int first = 0; first < atOnce; first++) {
      logIn(first);
    }
    if (!running.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "logins did not complete within %d s".formatted(TIMEOUT_SECONDS));
    }
    return this;
  }

  private void logIn(long number) {
    if (System.nanoTime() - endNanos >= 0) {
      running.countDown();
      return;
    }
    LoadClient client = new LoadClient(settings.apply(number), LoadClient.Receiver.NOTHING);
    long start = System.nanoTime();
    loops
        .connect(client)
        .whenComplete(
            (connected, error) -> {
              if (error != null) {
                refused.increment();
                refusal.compareAndSet(null, error);
                loops.next().execute(() -> logIn(number + atOnce)); // without recursion
                return;
              }
              micros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
              connected.channel().closeFuture().addListener(closed -> logIn(number + atOnce));
              connected.close();
            });
  }

  /** Returns the number of accepted clients. */
  long accepted() {
    return micros.getTotalCount();
  }

  /** Returns the latencies until the CONNACK; a refused client is a fault. */
  Measurement measurement() {
    Measurement measurement = new Measurement().faults(ResultMetric.REFUSED, refused.sum());
    Throwable first = refusal.get();
    if (first != null) {
      measurement.fault("  the first of them: " + first.getMessage());
    }
    return accepted() == 0 ? measurement : measurement.connects(micros);
  }
}
