package io.fjordmq.inbox;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The in-memory state of a replica: recently used inboxes, totals, due times and users. Built from
 * the rows by {@link #open}; no applied state depends on what is cached.
 */
final class InboxMemory {
  private final InboxTotals totals = new InboxTotals();
  private final DueTimes dueTimes = new DueTimes();
  private final Map<InboxId, Inbox> cache;

  /** Inboxes with a state key below this one have been counted; null if all have. */
  private byte @Nullable [] firstUncounted;

  private volatile boolean counting;
  private volatile Contents contents = new Contents(KeyInterval.ALL, new SessionIndex());

  /**
   * What a replica contains. While it opens with another interval, queries use the previous
   * contents, which are complete within their interval.
   *
   * @param interval the key interval of the range
   * @param sessions the sessions in this interval
   */
  record Contents(KeyInterval interval, SessionIndex sessions) {}

  /**
   * Creates an empty memory.
   *
   * @param capacity maximum number of cached inboxes; the least recently used one is evicted first
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

  /** Returns the LRU cache; apply thread only. */
  Map<InboxId, Inbox> cache() {
    return cache;
  }

  InboxTotals totals() {
    return totals;
  }

  DueTimes dueTimes() {
    return dueTimes;
  }

  /** Returns what the replica contains. Any thread may call this method. */
  Contents contents() {
    return contents;
  }

  /**
   * Reads the owners and users of inboxes and the due times. This method reads no other rows of the
   * inboxes and therefore takes a fraction of a second for 100,000 of them. Their contents are
   * counted later by {@link #countNext}.
   */
  void open(KeyInterval interval, KvReader rows) {
    clear();
    SessionIndex sessions = new SessionIndex();
    InboxScan.visit(
        rows,
        interval.start(),
        interval.end(),
        new InboxScan.Visitor() {
          @Override
          public boolean state(byte[] key, byte[] value) {
            totals.inboxes.incrementAndGet();
            InboxState state = InboxState.decode(InboxKeys.idOfState(key), value);
            Owner owner = state.owner();
            if (owner != null) {
              totals.addAttached(owner);
            }
            sessions.add(InboxKeys.bucketOf(key), state.user());
            return true;
          }

          @Override
          public void due(int bucket, long dueAtMillis) {
            dueTimes.add(bucket, dueAtMillis);
          }
        });
    contents = new Contents(interval, sessions);
    firstUncounted = totals.inboxes.get() == 0 ? null : interval.start();
    counting = firstUncounted != null;
  }

  /** Adds the contents of the next inboxes to the totals. */
  void countNext(KvReader rows, int maxInboxes) {
    if (firstUncounted == null) {
      return;
    }
    byte[] from = firstUncounted;
    int[] remaining = {maxInboxes};
    firstUncounted = null;
    InboxScan.visit(
        rows,
        from,
        null,
        (key, value) -> {
          if (remaining[0]-- == 0) {
            firstUncounted = key;
            return false;
          }
          Inbox inbox = InboxLoader.load(rows, InboxState.decode(InboxKeys.idOfState(key), value));
          totals.subscriptions.addAndGet(inbox.cursor.subscriptions);
          totals.queued.addAndGet(inbox.queued());
          return true;
        });
    counting = firstUncounted != null;
  }

  /**
   * Returns true if the totals include the contents of an inbox. If not, its changes are not added
   * now, because it will be counted later.
   */
  boolean hasCounted(Inbox inbox) {
    return firstUncounted == null
        || Arrays.compareUnsigned(InboxKeys.state(inbox.bucket, inbox.id), firstUncounted) < 0;
  }

  /** Returns true while there are inboxes to count. Any thread may call this method. */
  boolean isCounting() {
    return counting;
  }

  void clear() {
    cache.clear();
    totals.clear();
    dueTimes.clear();
    firstUncounted = null;
    counting = false;
  }
}
