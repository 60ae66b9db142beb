package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Executes the SUBSCRIBE and UNSUBSCRIBE packets of a client one at a time, while this node has a
 * valid lease. When {@code maxPendingSubscribes} packets are queued, the broker stops reading from
 * the client until all of them have been acknowledged. Only used on the event loop.
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

  /**
   * Whether {@link #run} is on the call stack, so that the next work must not be started
   * recursively.
   */
  private boolean running;

  private boolean done;

  SubscribeQueue(Client client) {
    this.client = client;
  }

  /**
   * Runs the work now or after earlier work. Each piece of work must end by calling {@link
   * #onComplete}.
   */
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

  /** Called when the current work is complete. */
  void onComplete() {
    done = true;
    if (!running) {
      run(poll());
    }
  }

  /**
   * Runs work in a loop. Work that completes immediately must not recurse, because there may be
   * thousands of packets.
   */
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
