package io.fjordmq.broker.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** How late event loops begin what they are given: each carries one probe at a time. */
final class LoopLag {
  private static final class Probe implements Runnable {
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
      doneNanos = System.nanoTime() | 1;
    }

    private boolean isDone() {
      return doneNanos != 0;
    }

    private long nanos(long now) {
      return (isDone() ? doneNanos : now) - sentNanos;
    }
  }

  private final List<Probe> probes = new ArrayList<>();

  /** Probes these loops from now on. */
  LoopLag(Iterable<? extends Executor> loops) {
    for (Executor loop : loops) {
      probes.add(send(loop));
    }
  }

  /** Of the loop that is latest, milliseconds; sends new probes. Called by one thread. */
  long millis() {
    long now = System.nanoTime();
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

  private static Probe send(Executor loop) {
    Probe probe = new Probe(loop, System.nanoTime());
    try {
      loop.execute(probe);
    } catch (RejectedExecutionException e) {
      probe.run(); // the loop has ended: it is not late
    }
    return probe;
  }
}
