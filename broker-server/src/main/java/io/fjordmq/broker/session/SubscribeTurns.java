package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Has the SUBSCRIBE and UNSUBSCRIBE packets of a client worked off one after the other. With {@code
 * maxPendingSubscribes} of them waiting the client is not read until all have been answered. Event
 * loop only.
 */
final class SubscribeTurns {
  private final Connection connection;
  private @Nullable ArrayDeque<Runnable> waiting;
  private boolean busy;

  SubscribeTurns(Connection connection) {
    this.connection = connection;
  }

  /** Begins the work now, or after that which came before; each ends with {@link #next}. */
  void take(Runnable work) {
    if (!busy) {
      busy = true;
      work.run();
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
    Runnable work = waiting == null ? null : waiting.poll();
    if (work == null) {
      busy = false;
      waiting = null;
      connection.gate().open(ReadGate.SUBSCRIBES);
    } else {
      work.run();
    }
  }

  /** What waits is forgotten. */
  void end() {
    waiting = null;
  }
}
