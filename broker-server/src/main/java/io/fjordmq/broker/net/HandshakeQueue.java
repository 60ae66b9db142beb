package io.fjordmq.broker.net;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Queues the steps of TLS handshakes. Each event loop runs one step after each round of I/O. A step
 * takes up to a millisecond, and in a reconnect storm hundreds of steps become ready at once. With
 * the queue, messages of connected clients are delayed by one step rather than by all of them.
 *
 * <p>The queue needs no limit of its own: it holds at most one read per connection, and the
 * listener's {@code maxConnections} limits the connections.
 */
final class HandshakeQueue {
  private final ConcurrentHashMap<EventLoop, Queue> queues = new ConcurrentHashMap<>();

  /** Returns the queue of an event loop. The queue must only be used on that loop. */
  Queue of(EventLoop loop) {
    Queue queue = queues.get(loop);
    return queue == null ? queues.computeIfAbsent(loop, Queue::new) : queue;
  }

  /** The steps of one event loop that have received input and are ready to run. */
  static final class Queue {
    private final EventLoop loop;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    Queue(EventLoop loop) {
      this.loop = loop;
    }

    /** Queues the step to run after all earlier ones. */
    void add(Runnable step) {
      waiting.add(step);
      if (waiting.size() == 1) {
        scheduleNext();
      }
    }

    /**
     * Schedules the next step. A scheduled task, even without a delay, runs after pending I/O,
     * whereas an executed task would run before it.
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
