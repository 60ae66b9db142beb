package io.fjordmq.broker.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of requests in progress, their memory, and the response bytes that clients have
 * not received yet. At a limit, stalled clients are disconnected first; a new request is refused
 * only if no client is stalled. Requests of clients without credentials give up their slot while
 * their bodies arrive, so that these clients cannot block those with credentials. Thread-safe.
 */
final class PendingResponses {
  /** A client counts as stalled after it has received no part of its response for this long. */
  private static final long STALLED_MILLIS = 1_000;

  /** A group of requests with its own slots. */
  enum Group {
    /** {@code /metrics} and {@code /status}. */
    PAGES,
    /** The API. */
    API
  }

  private final HttpSettings settings;
  private final long maxBytes;
  private final HttpObserver observer;
  private final Set<Slot> slots = new LinkedHashSet<>();
  private long bytes;
  private long requestBytes;

  PendingResponses(HttpSettings settings, HttpObserver observer) {
    this.settings = settings;
    this.maxBytes = settings.maxPendingResponseBytes();
    this.observer = observer;
  }

  /** One request in progress. */
  final class Slot {
    private final SocketChannelEndPoint client;
    private final Group group;
    private long size;
    private long writingSinceNanos;
    private boolean writing;
    private long requestSize;
    private long anonymousSinceNanos;
    private boolean readsAnonymously;

    private Slot(SocketChannelEndPoint client, Group group) {
      this.client = client;
      this.group = group;
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

    /**
     * Reserves memory for handling the request, until its response is written or the request ends.
     *
     * @return false if the requests in progress leave too little; then nothing is reserved
     */
    boolean reserveRequest(long needed) {
      boolean reserved = addRequestBytes(this, needed);
      if (!reserved) {
        observer.onLimitReached(HttpLimit.PENDING_REQUEST_BYTES);
      }
      return reserved;
    }

    /** From now on, the body of a client without credentials arrives. */
    void beginAnonymousBody() {
      setAnonymous(this, true);
    }

    /** The body has arrived. */
    void endAnonymousBody() {
      setAnonymous(this, false);
    }

    /** Ends the request; called for every outcome. Idempotent. */
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

  /** Admits a request; null if too many of its group are in progress. */
  @Nullable Slot admit(SocketChannelEndPoint client, Group group) {
    List<Slot> stalled = new ArrayList<>();
    Slot slot = new Slot(client, group);
    boolean admitted = admitOrEvict(slot, stalled);
    disconnect(stalled, limit(group));
    if (!admitted) {
      observer.onLimitReached(limit(group));
      return null;
    }
    return slot;
  }

  private static HttpLimit limit(Group group) {
    return group == Group.API ? HttpLimit.PENDING_API_REQUESTS : HttpLimit.PENDING_REQUESTS;
  }

  private int maxRequests(Group group) {
    return group == Group.API ? settings.maxPendingApiRequests() : settings.maxPendingRequests();
  }

  private synchronized boolean admitOrEvict(Slot slot, List<Slot> stalled) {
    long pending = slots.stream().filter(other -> other.group == slot.group).count();
    if (pending >= maxRequests(slot.group)
        && !evictAnonymous(stalled, slot.group)
        && !evictStalled(stalled, other -> other.group == slot.group)) {
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
    if (!slots.contains(slot)) {
      return true; // the client is gone, and nobody would release the bytes
    }
    while (bytes > 0 && bytes + size > maxBytes) {
      if (!evictStalled(stalled, other -> true)) {
        return false;
      }
    }
    requestBytes -= slot.requestSize; // now, only the response is in memory
    slot.requestSize = 0;
    slot.size = size;
    slot.writing = true;
    slot.writingSinceNanos = System.nanoTime();
    bytes += size;
    return true;
  }

  /**
   * Reserves memory of a request. A single request may exceed the limit if no other one has
   * reserved memory.
   */
  private synchronized boolean addRequestBytes(Slot slot, long needed) {
    if (!slots.contains(slot)) {
      return true; // the client is gone, and nobody would release the bytes
    }
    long others = requestBytes - slot.requestSize;
    if (others > 0 && requestBytes + needed > settings.maxPendingRequestBytes()) {
      return false;
    }
    slot.requestSize += needed;
    requestBytes += needed;
    return true;
  }

  private synchronized void setAnonymous(Slot slot, boolean reading) {
    slot.readsAnonymously = reading;
    slot.anonymousSinceNanos = System.nanoTime();
  }

  /** Evicts the client without credentials whose body has been arriving for the longest time. */
  private boolean evictAnonymous(List<Slot> evicted, Group group) {
    long now = System.nanoTime();
    Optional<Slot> longest =
        slots.stream()
            .filter(slot -> slot.group == group && slot.readsAnonymously)
            .max(Comparator.comparingLong(slot -> now - slot.anonymousSinceNanos));
    longest.ifPresent(
        slot -> {
          remove(slot);
          evicted.add(slot);
        });
    return longest.isPresent();
  }

  private boolean evictStalled(List<Slot> evicted, Predicate<Slot> candidates) {
    Optional<Slot> longest =
        slots.stream()
            .filter(candidates)
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
      requestBytes -= slot.requestSize;
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
