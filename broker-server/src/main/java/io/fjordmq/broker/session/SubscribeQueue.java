package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Runs the SUBSCRIBE and UNSUBSCRIBE packets of a client one at a time, while this node has a valid
 * lease. When {@code maxPendingSubscribes} of them are queued, the client is not read until all
 * have been acknowledged. Event loop only.
 */
final class SubscribeQueue {
  /** The client that subscribes. */
  interface Client {
    SessionSettings settings();

    ReadGate gate();

    /** Counts that the client reached a limit. */
    void recordLimitReached(Limit limit);

    /** Pauses the handling of the client's packets. */
    PacketPause pause();
  }

  private final Client client;
  private @Nullable ArrayDeque<Runnable> waiting;
  private boolean busy;

  /** Work is running further down the stack, so the next one must not start on top of it. */
  private boolean running;

  private boolean done;

  SubscribeQueue(Client client) {
    this.client = client;
  }

  /** Runs the work now or after earlier work. Each piece of work ends with {@link #onComplete}. */
  void submit(Runnable work) {
    if (!busy) {
      busy = true;
      run(work);
      return;
    }
    ArrayDeque<Runnable> queue = waiting;
    if (queue == null) {
      queue = new ArrayDeque<>(4);
      waiting = queue;
    }
    queue.add(work);
    if (queue.size() >= client.settings().maxPendingSubscribes()) {
      if (queue.size() == client.settings().maxPendingSubscribes()) {
        client.recordLimitReached(Limit.PENDING_SUBSCRIBES);
      }
      client.gate().close(ReadGate.SUBSCRIBES);
    }
  }

  /** The current work is complete. */
  void onComplete() {
    done = true;
    if (!running) {
      run(poll());
    }
  }

  /** Work that completes immediately loops instead of recursing: there may be thousands. */
  private void run(@Nullable Runnable first) {
    running = true;
    try {
      for (Runnable work = first; work != null; work = done ? poll() : null) {
        done = false;
        Runnable current = work;
        if (client.pause().pauseUnlessLeaseValid()) {
          current.run();
        } else {
          client.pause().whenLeaseValid(() -> run(current));
        }
      }
    } finally {
      running = false;
    }
  }

  private @Nullable Runnable poll() {
    Runnable work = waiting == null ? null : waiting.poll();
    if (work == null) {
      busy = false;
      waiting = null;
      client.gate().open(ReadGate.SUBSCRIBES);
    }
    return work;
  }

  /** Discards queued work. */
  void end() {
    waiting = null;
  }
}
