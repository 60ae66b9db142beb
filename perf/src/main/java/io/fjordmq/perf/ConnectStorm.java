package io.fjordmq.perf;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * New clients at a steady rate: each connects (with a full TLS handshake), waits for its CONNACK
 * and disconnects.
 */
final class ConnectStorm implements AutoCloseable {
  private static final int TICK_MILLIS = 10;

  private final ClientLoops loops;
  private final int ratePerSecond;
  private final long startNanos = System.nanoTime();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile boolean open = true;
  private long begun;

  ConnectStorm(ClientLoops loops, int ratePerSecond) {
    this.loops = loops;
    this.ratePerSecond = ratePerSecond;
    loops.next().scheduleAtFixedRate(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long due = (System.nanoTime() - startNanos) * ratePerSecond / TimeUnit.SECONDS.toNanos(1);
    for (; open && begun < due; begun++) {
      LoadClient client = new LoadClient("storm-" + begun, true, LoadClient.Receiver.NOTHING);
      loops
          .connect(client)
          .whenComplete(
              (connected, error) -> {
                if (error == null) {
                  accepted.increment();
                  client.close();
                } else {
                  failed.increment();
                }
              });
    }
  }

  /** Clients that received a CONNACK. */
  long accepted() {
    return accepted.sum();
  }

  /** Clients that did not. */
  long failed() {
    return failed.sum();
  }

  @Override
  public void close() {
    open = false;
  }
}
