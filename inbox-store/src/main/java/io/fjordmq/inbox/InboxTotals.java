package io.fjordmq.inbox;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a replica's inboxes add up to. Written by its apply thread, read by any; counted from the
 * rows when the replica opens, or by and by ({@link InboxMemory#countSome}). Nothing that is
 * applied depends on it.
 */
final class InboxTotals {
  final AtomicLong inboxes = new AtomicLong();
  final AtomicLong attached = new AtomicLong();

  /** Of the inboxes counted so far. */
  final AtomicLong subscriptions = new AtomicLong();

  /** Of the inboxes counted so far. */
  final AtomicLong queued = new AtomicLong();

  /** Inboxes attached by each process. */
  private final Map<Owner, Long> owners = new ConcurrentHashMap<>();

  void attached(Owner owner) {
    attached.incrementAndGet();
    owners.merge(owner, 1L, Long::sum);
  }

  void detached(Owner owner) {
    attached.decrementAndGet();
    owners.computeIfPresent(owner, (key, count) -> count == 1 ? null : count - 1);
  }

  Iterable<Owner> owners() {
    return owners.keySet();
  }

  void clear() {
    inboxes.set(0);
    attached.set(0);
    subscriptions.set(0);
    queued.set(0);
    owners.clear();
  }

  InboxStoreStatus snapshot() {
    return new InboxStoreStatus(inboxes.get(), attached.get(), subscriptions.get(), queued.get());
  }
}
