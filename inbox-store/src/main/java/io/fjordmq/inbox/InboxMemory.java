package io.fjordmq.inbox;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a replica keeps in memory about its rows: the inboxes used last, totals, and when something
 * is due. Made from the rows at {@link #open}; nothing that is applied depends on what happens to
 * be cached.
 */
final class InboxMemory {
  private final InboxTotals totals = new InboxTotals();
  private final DueTimes dueTimes = new DueTimes();
  private final Map<InboxId, Inbox> cache;

  /** Inboxes whose state key is below this are in all totals; null if all are. */
  private byte @Nullable [] uncounted;

  private volatile boolean counting;

  /**
   * @param capacity inboxes to keep; beyond, the one not used for longest is forgotten
   */
  InboxMemory(int capacity) {
    cache =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<InboxId, Inbox> eldest) {
            return size() > capacity;
          }
        };
  }

  /** By use; apply thread only. */
  Map<InboxId, Inbox> cache() {
    return cache;
  }

  InboxTotals totals() {
    return totals;
  }

  DueTimes dueTimes() {
    return dueTimes;
  }

  /**
   * Reads what must be known from the beginning: which processes own inboxes and when something is
   * due. That touches no inbox by itself, and so takes a fraction of a second for 100,000 of them;
   * what they hold is counted by and by.
   */
  void open(KeyInterval interval, KvReader rows) {
    clear();
    InboxScan.visit(
        rows,
        interval.start(),
        interval.end(),
        new InboxScan.Visitor() {
          @Override
          public boolean state(byte[] key, byte[] value) {
            totals.inboxes.incrementAndGet();
            Owner owner = InboxState.decode(InboxKeys.idOfState(key), value).owner();
            if (owner != null) {
              totals.attached(owner);
            }
            return true;
          }

          @Override
          public void due(int bucket, long dueAtMillis) {
            dueTimes.add(bucket, dueAtMillis);
          }
        });
    uncounted = totals.inboxes.get() == 0 ? null : interval.start();
    counting = uncounted != null;
  }

  /** Adds what the next so many inboxes hold to the totals. */
  void countSome(KvReader rows, int maxInboxes) {
    if (uncounted == null) {
      return;
    }
    byte[] from = uncounted;
    int[] left = {maxInboxes};
    uncounted = null;
    InboxScan.visit(
        rows,
        from,
        null,
        (key, value) -> {
          if (left[0]-- == 0) {
            uncounted = key;
            return false;
          }
          Inbox inbox = InboxLoader.load(rows, InboxState.decode(InboxKeys.idOfState(key), value));
          totals.subscriptions.addAndGet(inbox.cursor.subscriptions);
          totals.queued.addAndGet(inbox.queued());
          return true;
        });
    counting = uncounted != null;
  }

  /** Whether the totals have what an inbox holds; if not, it is counted as it will be then. */
  boolean hasCounted(Inbox inbox) {
    return uncounted == null
        || Arrays.compareUnsigned(InboxKeys.state(inbox.bucket, inbox.id), uncounted) < 0;
  }

  /** True while inboxes are left to count. May be called by any thread. */
  boolean isCounting() {
    return counting;
  }

  void clear() {
    cache.clear();
    totals.clear();
    dueTimes.clear();
    uncounted = null;
    counting = false;
  }
}
