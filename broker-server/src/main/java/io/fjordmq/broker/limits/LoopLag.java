package io.fjordmq.broker.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How late event loops begin what they are given: each carries one probe at a time. */
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
      // An odd value, so that it is never the 0 that says it has not run.
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
   * Probes these loops from now on.
   *
   * @param nowNanos of a clock that is never set; any thread asks it
   */
  LoopLag(Iterable<? extends Executor> loops, LongSupplier nowNanos) {
    this.nowNanos = nowNanos;
    for (Executor loop : loops) {
      probes.add(send(loop));
    }
  }

  /** Of the loop that is latest, milliseconds; sends new probes. Called by one thread. */
  long millis() {
    long now = nowNanos.getAsLong();
    long most = 0;
    for (int i = 0; i < probes.size(); i++) {
      Probe probe = probes.get(i);
      most = Math.max(most, probe.nanos(now));
      if (probe.isDone()) {
        probes.set(i, send(probe.loop));
      }
    }
    return TimeUnit.NANOSECONDS.toMillis(most);
  }

  private Probe send(Executor loop) {
    Probe probe = new Probe(loop, nowNanos.getAsLong());
    try {
      loop.execute(probe);
    } catch (RejectedExecutionException e) {
      probe.run(); // the loop has ended: it is not late
    }
    return probe;
  }
}
