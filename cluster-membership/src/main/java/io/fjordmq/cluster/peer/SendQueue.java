package io.fjordmq.cluster.peer;

import io.grpc.stub.CallStreamObserver;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds messages until a gRPC stream is ready. Thread-safe: the thread that offers or drains also
 * sends, one thread at a time.
 */
final class SendQueue<M> {
  private static final Runnable NO_CALLBACK = () -> {};

  private final CallStreamObserver<M> stream;
  private final long maxBytes;
  private final Deque<Item<M>> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean open;
  private boolean closed;

  private record Item<M>(M message, int bytes, Runnable beforeSend) {}

  SendQueue(CallStreamObserver<M> stream, long maxBytes) {
    this.stream = stream;
    this.maxBytes = maxBytes;
  }

  /** Sends the first message, before the queue is open and whether or not the stream is ready. */
  synchronized void begin(M message) {
    if (!closed) {
      stream.onNext(message);
    }
  }

  /** Starts sending. Before this call, messages are only queued. */
  synchronized void open() {
    open = true;
    drain();
  }

  /**
   * Sends the message as soon as the stream is ready.
   *
   * @param beforeSend runs right before the message is passed to the stream; must be quick
   * @return false if the queue is full or closed
   */
  synchronized boolean offer(M message, int bytes, Runnable beforeSend) {
    if (closed || waitingBytes + bytes > maxBytes) {
      return false;
    }
    waiting.add(new Item<>(message, bytes, beforeSend));
    waitingBytes += bytes;
    drain();
    return true;
  }

  /** Sends a small message ahead of all queued ones. */
  synchronized void offerFirst(M message) {
    if (open && !closed) {
      waiting.addFirst(new Item<>(message, 0, NO_CALLBACK));
      drain();
    }
  }

  /** Sends queued messages; must be called when the stream becomes ready. */
  synchronized void drain() {
    while (open && !closed && !waiting.isEmpty() && stream.isReady()) {
      Item<M> next = waiting.remove();
      waitingBytes -= next.bytes;
      next.beforeSend.run();
      stream.onNext(next.message);
    }
  }

  /**
   * Closes the queue and discards its messages.
   *
   * @return false if it was already closed
   */
  synchronized boolean close() {
    boolean first = !closed;
    closed = true;
    waiting.clear();
    waitingBytes = 0;
    return first;
  }
}
