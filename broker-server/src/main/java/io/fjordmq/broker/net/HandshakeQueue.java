package io.fjordmq.broker.net;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Lets TLS handshakes take turns: after each round of an event loop's I/O one of them goes one step
 * further. A step is the work of a millisecond at most, and a storm of new clients has hundreds of
 * them ready at once; like this the messages of those who are connected wait for one of them, not
 * for all.
 *
 * <p>What waits is bounded by the listener's {@code maxConnections} and by one read of each.
 */
final class HandshakeQueue {
  private final ConcurrentHashMap<EventLoop, Queue> queues = new ConcurrentHashMap<>();

  /** The queue of an event loop; used on that loop only. */
  Queue of(EventLoop loop) {
    Queue queue = queues.get(loop);
    return queue == null ? queues.computeIfAbsent(loop, Queue::new) : queue;
  }

  /** Those of one event loop whose client has said something. */
  static final class Queue {
    private final EventLoop loop;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    Queue(EventLoop loop) {
      this.loop = loop;
    }

    /** Runs the step when it is its turn. */
    void add(Runnable step) {
      waiting.add(step);
      if (waiting.size() == 1) {
        afterTheNextRound();
      }
    }

    /** What is scheduled, for however soon, comes after the I/O; what is executed, before it. */
    private void afterTheNextRound() {
      loop.schedule(this::step, 0, TimeUnit.NANOSECONDS);
    }

    private void step() {
      try {
        waiting.remove().run();
      } finally {
        if (!waiting.isEmpty()) {
          afterTheNextRound();
        }
      }
    }
  }
}
