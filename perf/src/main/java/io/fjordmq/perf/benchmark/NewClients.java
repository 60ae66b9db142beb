package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Connects new clients at a steady rate: each connects (with a full TLS handshake, if encrypted),
 * waits for its CONNACK and disconnects.
 */
final class NewClients implements AutoCloseable {
  private static final int TICK_MILLIS = 5;
  private static final long MAX_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final ClientLoops loops;
  private final int ratePerSecond;
  private final long startNanos = System.nanoTime();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final Recorder connecting = new Recorder(MAX_MICROS, 3);
  private volatile boolean open = true;
  private long started;

  /**
   * @param ratePerSecond 0 for none
   */
  NewClients(ClientLoops loops, int ratePerSecond) {
    this.loops = loops;
    this.ratePerSecond = ratePerSecond;
    loops.next().scheduleAtFixedRate(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long now = System.nanoTime();
    long due = (now - startNanos) * ratePerSecond / TimeUnit.SECONDS.toNanos(1);
    for (; open && started < due; started++) {
      connect(new LoadClient("new-" + started, true, LoadClient.Receiver.NOTHING));
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

  /** Returns connect latencies (until the CONNACK) since the last call, in microseconds. */
  Histogram connecting() {
    return connecting.getIntervalHistogram();
  }

  @Override
  public void close() {
    open = false;
  }
}
