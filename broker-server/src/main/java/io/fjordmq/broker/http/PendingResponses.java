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
 * Limits the number of requests in progress and of response bytes that clients have not received
 * yet. At a limit, stalled clients are disconnected first; a new request is refused only if no
 * client is stalled. Thread-safe.
 */
final class PendingResponses {
  /** A client counts as stalled after it has received no part of its response for this long. */
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
     * Reserves the bytes of a response before it is written.
     *
     * @return false if too many bytes are pending; the response must not be written
     */
    boolean reserve(long responseBytes) {
      List<Slot> stalled = new ArrayList<>();
      boolean reserved = reserveOrEvict(this, responseBytes, stalled);
      disconnect(stalled, HttpLimit.PENDING_RESPONSE_BYTES);
      if (!reserved) {
        observer.onLimitReached(HttpLimit.PENDING_RESPONSE_BYTES);
      }
      return reserved;
    }

    /** Ends the request, whatever its result. Idempotent. */
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

  /** Admits a request; null if too many are in progress. */
  @Nullable Slot admit(SocketChannelEndPoint client) {
    List<Slot> stalled = new ArrayList<>();
    Slot slot = new Slot(client);
    boolean admitted = admitOrEvict(slot, stalled);
    disconnect(stalled, HttpLimit.PENDING_REQUESTS);
    if (!admitted) {
      observer.onLimitReached(HttpLimit.PENDING_REQUESTS);
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

  /**
   * Reserves the bytes, if necessary by evicting stalled clients. A single response may exceed the
   * limit if nothing else is pending.
   */
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

  /** Must be called without holding the lock, because closing a connection runs callbacks. */
  private void disconnect(List<Slot> stalled, HttpLimit limit) {
    for (Slot slot : stalled) {
      observer.onLimitReached(limit);
      slot.client.close();
    }
  }
}
