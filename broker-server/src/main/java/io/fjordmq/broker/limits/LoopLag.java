package io.fjordmq.broker.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Measures how late event loops start their tasks. Each loop runs one probe at a time. */
final class LoopLag {
  private final class Probe implements Runnable {
    private final Executor loop;
    private final long sentNanos;
    private volatile long doneNanos;

    private Probe(Executor loop, long sentNanos) {
      this.loop = loop;
      this.sentNanos = sentNanos;
    }

    @Override
    public void run() {
      // An odd value, because 0 means that the probe has not run yet.
      doneNanos = nowNanos.getAsLong() | 1;
    }

    private boolean isDone() {
      return doneNanos != 0;
    }

    private long nanos(long now) {
      return (isDone() ? doneNanos : now) - sentNanos;
    }
  }

  private final LongSupplier nowNanos;
  private final List<Probe> probes = new ArrayList<>();

  /**
   * Starts probing the loops.
   *
   * @param nowNanos a monotonic clock; called by any thread
   */
  LoopLag(Iterable<? extends Executor> loops, LongSupplier nowNanos) {
    this.nowNanos = nowNanos;
    for (Executor loop : loops) {
      probes.add(send(loop));
    }
  }

  /**
   * Returns the lag of the slowest loop in milliseconds, and sends new probes. Must be called by a
   * single thread.
   */
  long maxMillis() {
    long now = nowNanos.getAsLong();
    long max = 0;
    for (int i = 0; i < probes.size(); i++) {
      Probe probe = probes.get(i);
      max = Math.max(max, probe.nanos(now));
      if (probe.isDone()) {
        probes.set(i, send(probe.loop));
      }
    }
    return TimeUnit.NANOSECONDS.toMillis(max);
  }

  private Probe send(Executor loop) {
    Probe probe = new Probe(loop, nowNanos.getAsLong());
    try {
      loop.execute(probe);
    } catch (RejectedExecutionException e) {
      probe.run(); // the loop has terminated, so it cannot be late
    }
    return probe;
  }
}
