package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Handles the SUBSCRIBE and UNSUBSCRIBE packets of a client one after the other, while this node
 * has a valid lease. With {@code maxPendingSubscribes} of them waiting the client is not read until
 * all have been answered. Event loop only.
 */
final class SubscribeQueue {
  private final Connection connection;
  private @Nullable ArrayDeque<Runnable> waiting;
  private boolean busy;

  /** A turn runs further down the stack; the one after it must not run on top of it. */
  private boolean running;

  private boolean done;

  SubscribeQueue(Connection connection) {
    this.connection = connection;
  }

  /** Begins the work now, or after that which came before; each ends with {@link #next}. */
  void take(Runnable work) {
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
    if (queue.size() >= connection.settings().maxPendingSubscribes()) {
      if (queue.size() == connection.settings().maxPendingSubscribes()) {
        connection.reached(Limit.PENDING_SUBSCRIBES);
      }
      connection.gate().close(ReadGate.SUBSCRIBES);
    }
  }

  /** What had its turn is done. */
  void next() {
    done = true;
    if (!running) {
      run(poll());
    }
  }

  /** Turns that end at once follow each other in this loop: a client may send thousands of them. */
  private void run(@Nullable Runnable first) {
    running = true;
    try {
      for (Runnable work = first; work != null; work = done ? poll() : null) {
        done = false;
        Runnable turn = work;
        if (connection.mayAct()) {
          turn.run();
        } else {
          connection.whenServed(() -> run(turn));
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
      connection.gate().open(ReadGate.SUBSCRIBES);
    }
    return work;
  }

  /** What waits is forgotten. */
  void end() {
    waiting = null;
  }
}
