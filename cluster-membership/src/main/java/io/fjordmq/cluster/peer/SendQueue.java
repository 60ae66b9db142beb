package io.fjordmq.cluster.peer;

import io.grpc.stub.CallStreamObserver;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Messages that wait until a stream takes them. Thread-safe: whoever offers or drains also sends,
 * one at a time.
 */
final class SendQueue<M> {
  private static final Runnable NOTHING = () -> {};

  private final CallStreamObserver<M> stream;
  private final long maxBytes;
  private final Deque<Item<M>> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean open;
  private boolean closed;

  private record Item<M>(M message, int bytes, Runnable leaving) {}

  SendQueue(CallStreamObserver<M> stream, long maxBytes) {
    this.stream = stream;
    this.maxBytes = maxBytes;
  }

  /**
   * Sends the very first message, before the queue is open and whether or not the stream is ready.
   */
  synchronized void begin(M message) {
    if (!closed) {
      stream.onNext(message);
    }
  }

  /** From now on messages leave; before they only wait. */
  synchronized void open() {
    open = true;
    drain();
  }

  /**
   * Sends the message as soon as the stream is ready.
   *
   * @param leaving run right before it is given to the stream; must be quick
   * @return false if too many bytes wait already, or nothing leaves any more
   */
  synchronized boolean offer(M message, int bytes, Runnable leaving) {
    if (closed || waitingBytes + bytes > maxBytes) {
      return false;
    }
    waiting.add(new Item<>(message, bytes, leaving));
    waitingBytes += bytes;
    drain();
    return true;
  }

  /** Sends a small message before all that wait. */
  synchronized void overtake(M message) {
    if (open && !closed) {
      waiting.addFirst(new Item<>(message, 0, NOTHING));
      drain();
    }
  }

  /** To be called when the stream has become ready. */
  synchronized void drain() {
    while (open && !closed && !waiting.isEmpty() && stream.isReady()) {
      Item<M> next = waiting.remove();
      waitingBytes -= next.bytes;
      next.leaving.run();
      stream.onNext(next.message);
    }
  }

  /**
   * Drops what waits.
   *
   * @return false if that had been done
   */
  synchronized boolean close() {
    boolean first = !closed;
    closed = true;
    waiting.clear();
    waitingBytes = 0;
    return first;
  }
}
