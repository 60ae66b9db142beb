package io.fjordmq.inbox;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** The queue of entries of one inbox, for the command that is being applied. */
final class EntryQueue {
  /*
   * Every entry stores the total size of all earlier ones. The number and size of the queued
   * entries can therefore be derived from the start and end of the queue and the settled entries
   * between them: appending a message writes no counter, and no counter is lost with the memory.
   */
  private final InboxRows inboxes;
  private final Inbox inbox;
  private final InboxCursor cursor;

  EntryQueue(InboxRows inboxes, Inbox inbox) {
    this.inboxes = inboxes;
    this.inbox = inbox;
    this.cursor = inbox.cursor;
  }

  /**
   * Appends an entry; the caller has already called {@link #makeSpace}. Reads nothing and writes
   * one row; the first share message also writes the cursor, which records that there are some.
   */
  long append(InboxTarget target, ByteBuffer message) {
    long sequence = cursor.next;
    inboxes.rows().insert(entryKey(sequence), EntryRow.encode(target, cursor.nextBytes, message));
    cursor.next = sequence + 1;
    cursor.nextBytes += message.remaining();
    inboxes.addQueued(inbox, 1);
    if (target.share() != null && !cursor.hasShared) {
      cursor.hasShared = true;
      inboxes.saveCursor(inbox);
    }
    return sequence;
  }

  /** The result of {@link #makeSpace}. */
  enum SpaceResult {
    AVAILABLE,
    FREED,
    INSUFFICIENT
  }

  /**
   * Makes space for an entry of this size: drops expired entries and, if the limits allow it, the
   * oldest ones.
   */
  SpaceResult makeSpace(int bytes) {
    InboxLimits limits = inbox.state().limits();
    if (fits(bytes, limits)) {
      return SpaceResult.AVAILABLE;
    }
    if (bytes > limits.maxBytes()) {
      return SpaceResult.INSUFFICIENT;
    }
    long evicted = 0;
    long expired = 0;
    while (!fits(bytes, limits) && inbox.queued() > 0) {
      long oldest = oldest();
      EntryRow row = read(oldest);
      boolean isExpired = row.isExpiredAt(inboxes.nowMillis());
      if (!isExpired && limits.whenFull() == InboxLimits.WhenFull.REFUSE) {
        break;
      }
      inboxes.rows().delete(entryKey(oldest));
      cursor.settled.add(oldest, row.bytes());
      inboxes.addQueued(inbox, -1);
      evicted += isExpired ? 0 : 1;
      expired += isExpired ? 1 : 0;
    }
    if (evicted + expired > 0) {
      advance(cursor.committed);
      inboxes.saveCursor(inbox);
    }
    emitDropped(DropReasons.INBOX_FULL, evicted);
    emitDropped(DropReasons.EXPIRED, expired);
    if (!fits(bytes, limits)) {
      return SpaceResult.INSUFFICIENT;
    }
    return evicted > 0 ? SpaceResult.FREED : SpaceResult.AVAILABLE;
  }

  private boolean fits(int bytes, InboxLimits limits) {
    return inbox.queued() < limits.maxMessages()
        && inbox.queuedBytes() + bytes <= limits.maxBytes();
  }

  private long oldest() {
    long sequence = cursor.committed;
    while (true) {
      long next = cursor.settled.endOf(sequence);
      if (inbox.released.containsKey(next)) {
        next++;
      }
      if (next == sequence) {
        return sequence;
      }
      sequence = next;
    }
  }

  /** Removes all entries below a sequence and individual ones at or above it. */
  void acknowledge(long upTo, List<Long> beyond) {
    long end = Math.min(upTo, cursor.next);
    boolean changed = false;
    for (long sequence : beyond) {
      if (sequence >= end) {
        changed |= settle(sequence);
      }
    }
    changed |= advance(Math.max(end, cursor.committed));
    if (changed) {
      inboxes.saveCursor(inbox);
    }
  }

  /** Drops the entries that still exist and have expired. */
  void dropExpired(List<Long> sequences) {
    long dropped = 0;
    for (long sequence : sequences) {
      if (isUnsettled(sequence)
          && !inbox.released.containsKey(sequence)
          && read(sequence).isExpiredAt(inboxes.nowMillis())) {
        settle(sequence);
        dropped++;
      }
    }
    if (dropped > 0) {
      advance(cursor.committed);
      inboxes.saveCursor(inbox);
      emitDropped(DropReasons.EXPIRED, dropped);
    }
  }

  /** Replaces an entry with a row that records the pending PUBREL. */
  void release(long sequence) {
    if (!isUnsettled(sequence) || inbox.released.containsKey(sequence)) {
      return;
    }
    EntryRow row = read(sequence);
    ReleasedRow entry = new ReleasedRow(row.bytesBefore(), row.bytes());
    inboxes.rows().delete(entryKey(sequence));
    inboxes.rows().insert(releasedKey(sequence), entry.encode());
    inboxes.addQueued(inbox, -1);
    inbox.addReleased(sequence, entry);
    // The end of the queue is derived from the last entry. If that is removed, the cursor must
    // store it.
    if (!cursor.hasReleased || sequence + 1 == cursor.next) {
      inboxes.saveCursor(inbox);
    }
  }

  private boolean isUnsettled(long sequence) {
    return sequence >= cursor.committed
        && sequence < cursor.next
        && !cursor.settled.contains(sequence);
  }

  private boolean settle(long sequence) {
    if (!isUnsettled(sequence)) {
      return false;
    }
    ReleasedRow released = inbox.released.get(sequence);
    if (released != null) {
      inboxes.rows().delete(releasedKey(sequence));
      inbox.removeReleased(sequence);
      cursor.settled.add(sequence, released.bytes());
    } else {
      int bytes = read(sequence).bytes();
      inboxes.rows().delete(entryKey(sequence));
      inboxes.addQueued(inbox, -1);
      cursor.settled.add(sequence, bytes);
    }
    return true;
  }

  /**
   * Advances the start of the queue to a sequence, and past entries that are already settled there.
   *
   * @return true if it moved
   */
  private boolean advance(long target) {
    long from = cursor.committed;
    long to = cursor.settled.endOf(target);
    if (to == from) {
      return false;
    }
    // Read before deleting: the size of the removed entries follows from the entry after them.
    final long bytesBefore = bytesBefore(to);
    final long queued = inbox.queued();
    deleteEntries(from, to);
    Map<Long, ReleasedRow> released = inbox.released.headMap(to);
    for (long sequence : List.copyOf(released.keySet())) {
      inboxes.rows().delete(releasedKey(sequence));
      inbox.removeReleased(sequence);
    }
    cursor.settled.removeBelow(to);
    cursor.committed = to;
    cursor.committedBytes = bytesBefore;
    inboxes.addQueued(inbox, inbox.queued() - queued);
    return true;
  }

  private void deleteEntries(long from, long to) {
    if (to - from > InboxRows.MAX_POINT_DELETES) {
      inboxes.rows().deleteRange(entryKey(from), entryKey(to));
      return;
    }
    for (long sequence = from; sequence < to; sequence++) {
      if (!cursor.settled.contains(sequence) && !inbox.released.containsKey(sequence)) {
        inboxes.rows().delete(entryKey(sequence));
      }
    }
  }

  private long bytesBefore(long sequence) {
    if (sequence == cursor.next) {
      return cursor.nextBytes;
    }
    ReleasedRow released = inbox.released.get(sequence);
    return released != null ? released.bytesBefore() : read(sequence).bytesBefore();
  }

  private EntryRow read(long sequence) {
    byte[] row = inboxes.rows().get(entryKey(sequence));
    if (row == null) {
      throw new IllegalStateException(
          "entry " + sequence + " is missing in inbox " + inbox.handle());
    }
    return EntryRow.decode(row);
  }

  private void emitDropped(String reason, long count) {
    if (count > 0) {
      inboxes.emit(new InboxEffect.Dropped(inbox.id, reason, count));
    }
  }

  private byte[] entryKey(long sequence) {
    return InboxKeys.entry(inbox.bucket, inbox.incarnation(), sequence);
  }

  private byte[] releasedKey(long sequence) {
    return InboxKeys.released(inbox.bucket, inbox.incarnation(), sequence);
  }
}
