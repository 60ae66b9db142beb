package io.fjordmq.inbox;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Totals over the inboxes of a replica, for metrics and the sweeper. Updated by the apply thread
 * and readable by any thread. Counted from the rows when the replica opens, or gradually after that
 * ({@link InboxMemory#countNext}). No applied state depends on them.
 */
final class InboxTotals {
  final AtomicLong inboxes = new AtomicLong();
  final AtomicLong attached = new AtomicLong();

  /** Total over the inboxes counted so far. */
  final AtomicLong subscriptions = new AtomicLong();

  /** Total over the inboxes counted so far. */
  final AtomicLong queued = new AtomicLong();

  /** Inboxes attached by each process. */
  private final Map<Owner, Long> owners = new ConcurrentHashMap<>();

  void addAttached(Owner owner) {
    attached.incrementAndGet();
    owners.merge(owner, 1L, Long::sum);
  }

  void removeAttached(Owner owner) {
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
