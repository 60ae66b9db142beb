package io.fjordmq.broker.net;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Queues the steps of TLS handshakes: after each round of I/O, an event loop runs one of them. A
 * step takes up to a millisecond, and a reconnect storm makes hundreds of them ready at once. With
 * the queue, the messages of connected clients wait for one step and not for all of them.
 *
 * <p>The queue is bounded by the listener's {@code maxConnections} and one read per connection.
 */
final class HandshakeQueue {
  private final ConcurrentHashMap<EventLoop, Queue> queues = new ConcurrentHashMap<>();

  /** The queue of an event loop; to be used on that loop only. */
  Queue of(EventLoop loop) {
    Queue queue = queues.get(loop);
    return queue == null ? queues.computeIfAbsent(loop, Queue::new) : queue;
  }

  /** The steps of one event loop that have input. */
  static final class Queue {
    private final EventLoop loop;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    Queue(EventLoop loop) {
      this.loop = loop;
    }

    /** Runs the step when all earlier ones have run. */
    void add(Runnable step) {
      waiting.add(step);
      if (waiting.size() == 1) {
        scheduleNext();
      }
    }

    /**
     * A scheduled task, even without delay, runs after the I/O; an executed task runs before it.
     */
    private void scheduleNext() {
      loop.schedule(this::runNext, 0, TimeUnit.NANOSECONDS);
    }

    private void runNext() {
      try {
        waiting.remove().run();
      } finally {
        if (!waiting.isEmpty()) {
          scheduleNext();
        }
      }
    }
  }
}
