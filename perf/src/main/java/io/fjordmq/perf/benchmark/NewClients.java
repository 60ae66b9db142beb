package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.LoadClient;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Connects new clients at a steady rate: each connects (with a full TLS handshake, if encrypted),
 * waits for its CONNACK and disconnects.
 */
final class NewClients implements AutoCloseable {
  private static final int TICK_MILLIS = 5;
  private static final long MAX_MICROS = TimeUnit.MINUTES.toMicros(1);

  /** Receives the outcome of each attempt. Called on event loops. */
  interface Listener {
    /**
     * Called when an attempt has ended.
     *
     * @param startNanos when it began, as {@code System.nanoTime()}
     * @param error null if the client was accepted
     */
    void onResponse(long startNanos, @Nullable Throwable error);
  }

  private final ClientLoops loops;
  private final int ratePerSecond;
  private final LongFunction<ConnectSettings> settings;
  private final Listener listener;
  private final long startNanos = System.nanoTime();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final Recorder connecting = new Recorder(MAX_MICROS, 3);
  private volatile boolean open = true;
  private final AtomicLong started = new AtomicLong();

  /**
   * @param ratePerSecond 0 for none
   */
  NewClients(ClientLoops loops, int ratePerSecond) {
    this(
        loops,
        ratePerSecond,
        number -> ConnectSettings.simple("new-" + number, true),
        (startNanos, error) -> {});
  }

  /**
   * @param ratePerSecond 0 for none
   * @param settings the CONNECT of the client with a number
   */
  NewClients(
      ClientLoops loops,
      int ratePerSecond,
      LongFunction<ConnectSettings> settings,
      Listener listener) {
    this.loops = loops;
    this.ratePerSecond = ratePerSecond;
    this.settings = settings;
    this.listener = listener;
    loops.next().scheduleAtFixedRate(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long now = System.nanoTime();
    long due = (now - startNanos) * ratePerSecond / TimeUnit.SECONDS.toNanos(1);
    while (open && started.get() < due) {
      long number = started.getAndIncrement();
      connect(new LoadClient(settings.apply(number), LoadClient.Receiver.NOTHING));
    }
  }

  private void connect(LoadClient client) {
    long start = System.nanoTime();
    loops
        .connect(client)
        .whenComplete(
            (connected, error) -> {
              if (error == null) {
                long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
                connecting.recordValue(Math.min(MAX_MICROS, micros));
                accepted.increment();
                client.close();
              } else {
                failed.increment();
              }
              listener.onResponse(start, error);
            });
  }

  /** Returns the number of clients that received a CONNACK. */
  long accepted() {
    return accepted.sum();
  }

  /** Returns the number of clients that did not receive a CONNACK. */
  long failed() {
    return failed.sum();
  }

  /** Returns the number of clients that have not received a response yet. */
  long unanswered() {
    long answered = accepted.sum() + failed.sum();
    return started.get() - answered;
  }

  /** Returns connect latencies (until the CONNACK) since the last call, in microseconds. */
  Histogram connecting() {
    return connecting.getIntervalHistogram();
  }

  /** Lets no further clients connect. */
  @Override
  public void close() {
    open = false;
  }
}
