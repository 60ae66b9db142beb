package io.fjordmq.inbox;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a replica keeps in memory about its rows: the inboxes used last, totals, and when something
 * is due. Made from the rows at {@link #open}; nothing that is applied depends on what happens to
 * be cached.
 */
final class InboxMemory {
  private final InboxTotals totals = new InboxTotals();
  private final DueTimes dueTimes = new DueTimes();
  private final Map<InboxId, Inbox> cache;

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

  void open(KeyInterval interval, KvReader rows) {
    clear();
    InboxScan.visit(
        rows,
        interval.start(),
        interval.end(),
        new InboxScan.Visitor() {
          @Override
          public boolean state(byte[] key, byte[] value) {
            count(rows, InboxState.decode(InboxKeys.idOfState(key), value));
            return true;
          }

          @Override
          public void due(int bucket, long dueAtMillis) {
            dueTimes.add(bucket, dueAtMillis);
          }
        });
  }

  private void count(KvReader rows, InboxState state) {
    Inbox inbox = InboxLoader.load(rows, state);
    totals.inboxes.incrementAndGet();
    totals.subscriptions.addAndGet(inbox.cursor.subscriptions);
    totals.queued.addAndGet(inbox.queued());
    Owner owner = state.owner();
    if (owner != null) {
      totals.attached(owner);
    }
  }

  void clear() {
    cache.clear();
    totals.clear();
    dueTimes.clear();
  }
}
