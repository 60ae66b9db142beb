package io.fjordmq.retain;

import io.fjordmq.api.Message;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The in-memory state of a replica: counts, usage per tenant, expiry times and a topic index. All
 * of them are derived from the rows, so they are the same on every replica. The apply thread
 * updates it; any thread may call the methods that say so.
 */
final class RetainMemory {
  private final DueKeys expiring = new DueKeys();
  private final DueKeys clearMarkers = new DueKeys();
  private final AtomicLong count = new AtomicLong();
  private final RetainUsage usage = new RetainUsage();
  private final ReplicaIndex index;
  private volatile long firstDueMillis = Message.NEVER;
  private volatile KeyInterval interval = KeyInterval.ALL;

  /**
   * Creates an empty memory.
   *
   * @param budget memory budget for the topic index
   */
  RetainMemory(IndexMemory budget) {
    index = new ReplicaIndex(budget);
  }

  /** Reads all rows of the range. */
  void open(KeyInterval held, KvReader rows) {
    interval = held;
    expiring.clear();
    clearMarkers.clear();
    usage.clear();
    index.begin();
    long[] messages = {0};
    rows.scan(
        held.start(),
        held.end(),
        (key, row) -> {
          RetainRow.Head head = RetainRow.headOf(row);
          if (!head.isClearMarker()) {
            messages[0]++;
            usage.update(key, 1, row.length);
            index.add(key);
          }
          addDue(key, head);
          return true;
        });
    index.publish();
    count.set(messages[0]);
    updateFirstDue();
  }

  /**
   * Returns true if the topic is known to have no row, neither a message nor a clear marker. A
   * result of false means nothing. Replicas may return different results; apply thread only.
   */
  boolean hasNoRow(byte[] key) {
    return clearMarkers.size() == 0 && index.isMissing(key);
  }

  void addMessage(byte[] key, long bytes) {
    count.incrementAndGet();
    index.add(key);
    usage.update(key, 1, bytes);
  }

  void resizeMessage(byte[] key, long growth) {
    usage.update(key, 0, growth);
  }

  void removeMessage(byte[] key, long bytes) {
    count.decrementAndGet();
    index.remove(key);
    usage.update(key, -1, -bytes);
  }

  void addDue(byte[] key, RetainRow.Head head) {
    if (head.isClearMarker()) {
      clearMarkers.add(head.expiresAtMillis(), key);
    } else if (head.expiresAtMillis() != Message.NEVER) {
      expiring.add(head.expiresAtMillis(), key);
    }
  }

  void removeDue(byte[] key, RetainRow.Head head) {
    (head.isClearMarker() ? clearMarkers : expiring).remove(head.expiresAtMillis(), key);
  }

  /** Publishes the earliest due time. Must be called after each command. */
  void updateFirstDue() {
    firstDueMillis = Math.min(expiring.firstMillis(), clearMarkers.firstMillis());
  }

  /** Returns the messages that expire, by expiry; apply thread only. */
  DueKeys expiring() {
    return expiring;
  }

  /** Returns the clear markers, by the time when they may be removed; apply thread only. */
  DueKeys clearMarkers() {
    return clearMarkers;
  }

  /** Returns the topic index; null if there is none. Any thread may call this method. */
  @Nullable RetainedTopicIndex topics() {
    return index.current();
  }

  /** Returns the key interval of the range. Any thread may call this method. */
  KeyInterval interval() {
    return interval;
  }

  /** Returns the number of messages. Any thread may call this method. */
  long count() {
    return count.get();
  }

  /** Returns the usage of a tenant. Any thread may call this method. */
  RetainUsage.TenantUsage used(String tenant) {
    return usage.of(tenant);
  }

  /** Returns true if a message or clear marker has expired. Any thread may call this method. */
  boolean isDueAt(long nowMillis) {
    return firstDueMillis <= nowMillis;
  }

  void clear() {
    index.clear();
    count.set(0);
    usage.clear();
    expiring.clear();
    clearMarkers.clear();
    firstDueMillis = Message.NEVER;
  }
}
