package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Queues the connections of one event loop that have used up their time slice. The connections
 * continue round-robin, one slice each, with the loop's I/O and other tasks in between. Only used
 * on the event loop.
 *
 * <p>Each round is scheduled without a delay rather than executed, because Netty runs executed
 * tasks until none are left, and a task that keeps re-executing itself would starve the loop's I/O.
 */
final class SliceQueue {
  /**
   * The maximum duration of a round, so that its length does not grow with the number of
   * connections.
   */
  private static final long ROUND_NANOS = 1_000_000;

  private final EventLoop loop;
  private final Ticker ticker;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private boolean scheduled;

  SliceQueue(EventLoop loop) {
    this.loop = loop;
    this.ticker = loop.ticker();
  }

  /**
   * Runs a slice of work after the loop's next I/O.
   *
   * @param slice the work; it must add itself again if work remains
   */
  void add(Runnable slice) {
    waiting.add(slice);
    schedule();
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      loop.schedule(this::runRound, 0, TimeUnit.NANOSECONDS);
    }
  }

  /** Runs each currently waiting slice at most once. */
  private void runRound() {
    scheduled = false;
    long startNanos = ticker.nanoTime();
    try {
      for (int remaining = waiting.size(); remaining > 0; remaining--) {
        waiting.remove().run();
        if (ticker.nanoTime() - startNanos >= ROUND_NANOS) {
          break;
        }
      }
    } finally {
      if (!waiting.isEmpty()) {
        schedule();
      }
    }
  }
}
