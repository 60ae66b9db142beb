package io.fjordmq.broker.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the requests in progress and the bytes of responses that clients have not received. When a
 * limit is reached, clients that have stopped reading are disconnected first; only if there is none
 * a new request is refused. Thread-safe.
 */
final class PendingResponses {
  /** A client that has taken nothing of its response for so long is stalled. */
  private static final long STALLED_MILLIS = 1_000;

  private final int maxRequests;
  private final long maxBytes;
  private final HttpObserver observer;
  private final Set<Slot> slots = new LinkedHashSet<>();
  private long bytes;

  PendingResponses(HttpSettings settings, HttpObserver observer) {
    this.maxRequests = settings.maxPendingRequests();
    this.maxBytes = settings.maxPendingResponseBytes();
    this.observer = observer;
  }

  /** One request in progress. */
  final class Slot {
    private final SocketChannelEndPoint client;
    private long size;
    private long writingSinceNanos;
    private boolean writing;

    private Slot(SocketChannelEndPoint client) {
      this.client = client;
    }

    /**
     * To be called before the response is written.
     *
     * @return false if too many bytes wait already: it must not be written
     */
    boolean reserve(long responseBytes) {
      List<Slot> stalled = new ArrayList<>();
      boolean reserved = reserveOrEvict(this, responseBytes, stalled);
      disconnect(stalled, HttpLimit.PENDING_RESPONSE_BYTES);
      if (!reserved) {
        observer.limited(HttpLimit.PENDING_RESPONSE_BYTES);
      }
      return reserved;
    }

    /** The request is done, however it ended. May be called more than once. */
    void release() {
      remove(this);
    }

    private long stalledMillis() {
      long writingNanos = System.nanoTime() - writingSinceNanos;
      return writing
          ? Math.min(client.getIdleFor(), TimeUnit.NANOSECONDS.toMillis(writingNanos))
          : 0;
    }
  }

  /** Counts a request in; null if too many are in progress. */
  @Nullable Slot admit(SocketChannelEndPoint client) {
    List<Slot> stalled = new ArrayList<>();
    Slot slot = new Slot(client);
    boolean admitted = admitOrEvict(slot, stalled);
    disconnect(stalled, HttpLimit.PENDING_REQUESTS);
    if (!admitted) {
      observer.limited(HttpLimit.PENDING_REQUESTS);
      return null;
    }
    return slot;
  }

  private synchronized boolean admitOrEvict(Slot slot, List<Slot> stalled) {
    if (slots.size() >= maxRequests && !evictStalled(stalled)) {
      return false;
    }
    slots.add(slot);
    return true;
  }

  /** One response may be larger than the limit if nothing else waits. */
  private synchronized boolean reserveOrEvict(Slot slot, long size, List<Slot> stalled) {
    while (bytes > 0 && bytes + size > maxBytes) {
      if (!evictStalled(stalled)) {
        return false;
      }
    }
    slot.size = size;
    slot.writing = true;
    slot.writingSinceNanos = System.nanoTime();
    bytes += size;
    return true;
  }

  private boolean evictStalled(List<Slot> evicted) {
    Optional<Slot> longest =
        slots.stream()
            .filter(slot -> slot.stalledMillis() >= STALLED_MILLIS)
            .max(Comparator.comparingLong(Slot::stalledMillis));
    longest.ifPresent(
        slot -> {
          remove(slot);
          evicted.add(slot);
        });
    return longest.isPresent();
  }

  private synchronized void remove(Slot slot) {
    if (slots.remove(slot)) {
      bytes -= slot.size;
    }
  }

  /** Not within the lock: closing runs callbacks. */
  private void disconnect(List<Slot> stalled, HttpLimit limit) {
    for (Slot slot : stalled) {
      observer.limited(limit);
      slot.client.close();
    }
  }
}
