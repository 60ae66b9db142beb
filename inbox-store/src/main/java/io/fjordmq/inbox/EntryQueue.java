package io.fjordmq.inbox;

import java.util.List;
import java.util.Map;

/** Entries of one inbox, while a command is applied. */
final class EntryQueue {
  /*
   * Every entry knows what all earlier ones weighed together. Counts and bytes of what is left
   * therefore follow from where the queue begins, where it ends and what is done in between: no
   * counter is written when a message is appended, none is lost with the memory.
   */
  private final InboxTables tables;
  private final Inbox inbox;
  private final InboxCursor cursor;

  EntryQueue(InboxTables tables, Inbox inbox) {
    this.tables = tables;
    this.inbox = inbox;
    this.cursor = inbox.cursor;
  }

  /**
   * Appends an entry; the caller has made room. Reads nothing, writes one row; the first one of a
   * share also the cursor, which says that there are such ones.
   */
  long append(InboxTarget target, byte[] message) {
    long sequence = cursor.next;
    tables.rows().insert(entryKey(sequence), EntryRow.encode(target, cursor.nextBytes, message));
    cursor.next = sequence + 1;
    cursor.nextBytes += message.length;
    tables.queuedChanged(inbox, 1);
    if (target.share() != null && !cursor.hasShared) {
      cursor.hasShared = true;
      tables.saveCursor(inbox);
    }
    return sequence;
  }

  /** What {@link #makeRoom} did. */
  enum Room {
    FREE,
    MADE,
    NONE
  }

  /** Sees to it that an entry of this weight fits, dropping others if the limits say so. */
  Room makeRoom(int bytes) {
    InboxLimits limits = inbox.state().limits();
    if (fits(bytes, limits)) {
      return Room.FREE;
    }
    if (bytes > limits.maxBytes()) {
      return Room.NONE;
    }
    long full = 0;
    long expired = 0;
    while (!fits(bytes, limits) && inbox.queued() > 0) {
      long oldest = oldest();
      EntryRow row = read(oldest);
      boolean isExpired = row.isExpiredAt(tables.nowMillis());
      if (!isExpired && limits.whenFull() == InboxLimits.WhenFull.REFUSE) {
        break;
      }
      tables.rows().delete(entryKey(oldest));
      cursor.done.add(oldest, row.message().length);
      tables.queuedChanged(inbox, -1);
      full += isExpired ? 0 : 1;
      expired += isExpired ? 1 : 0;
    }
    if (full + expired > 0) {
      advance(cursor.committed);
      tables.saveCursor(inbox);
    }
    emitDropped(DropReasons.INBOX_FULL, full);
    emitDropped(DropReasons.EXPIRED, expired);
    if (!fits(bytes, limits)) {
      return Room.NONE;
    }
    return full > 0 ? Room.MADE : Room.FREE;
  }

  private boolean fits(int bytes, InboxLimits limits) {
    return inbox.queued() < limits.maxMessages()
        && inbox.queuedBytes() + bytes <= limits.maxBytes();
  }

  private long oldest() {
    long sequence = cursor.committed;
    while (true) {
      long next = cursor.done.endOf(sequence);
      if (inbox.released.containsKey(next)) {
        next++;
      }
      if (next == sequence) {
        return sequence;
      }
      sequence = next;
    }
  }

  /** Forgets everything below a sequence, and single ones above it. */
  void acknowledge(long upTo, List<Long> beyond) {
    long end = Math.min(upTo, cursor.next);
    boolean changed = false;
    for (long sequence : beyond) {
      if (sequence >= end) {
        changed |= finish(sequence);
      }
    }
    changed |= advance(Math.max(end, cursor.committed));
    if (changed) {
      tables.saveCursor(inbox);
    }
  }

  /** Drops those of the entries that are there and have expired. */
  void dropExpired(List<Long> sequences) {
    long dropped = 0;
    for (long sequence : sequences) {
      if (isOpen(sequence)
          && !inbox.released.containsKey(sequence)
          && read(sequence).isExpiredAt(tables.nowMillis())) {
        finish(sequence);
        dropped++;
      }
    }
    if (dropped > 0) {
      advance(cursor.committed);
      tables.saveCursor(inbox);
      emitDropped(DropReasons.EXPIRED, dropped);
    }
  }

  /** Replaces an entry by the note that PUBREL is owed. */
  void release(long sequence) {
    if (!isOpen(sequence) || inbox.released.containsKey(sequence)) {
      return;
    }
    EntryRow row = read(sequence);
    ReleasedEntry entry = new ReleasedEntry(row.bytesBefore(), row.message().length);
    tables.rows().delete(entryKey(sequence));
    tables.rows().insert(releasedKey(sequence), entry.encode());
    tables.queuedChanged(inbox, -1);
    inbox.addReleased(sequence, entry);
    // An inbox finds its end by the last entry; when that goes, the cursor must say it.
    if (!cursor.hasReleased || sequence + 1 == cursor.next) {
      tables.saveCursor(inbox);
    }
  }

  private boolean isOpen(long sequence) {
    return sequence >= cursor.committed
        && sequence < cursor.next
        && !cursor.done.contains(sequence);
  }

  private boolean finish(long sequence) {
    if (!isOpen(sequence)) {
      return false;
    }
    ReleasedEntry owed = inbox.released.get(sequence);
    if (owed != null) {
      tables.rows().delete(releasedKey(sequence));
      inbox.removeReleased(sequence);
      cursor.done.add(sequence, owed.bytes());
    } else {
      int bytes = read(sequence).message().length;
      tables.rows().delete(entryKey(sequence));
      tables.queuedChanged(inbox, -1);
      cursor.done.add(sequence, bytes);
    }
    return true;
  }

  /**
   * Moves the beginning of the queue up to a sequence, and on over what is done there.
   *
   * @return whether it moved
   */
  private boolean advance(long target) {
    long from = cursor.committed;
    long to = cursor.done.endOf(target);
    if (to == from) {
      return false;
    }
    // Read before anything is deleted: the weight of what goes is known by what comes after it.
    final long bytesBefore = bytesBefore(to);
    final long queued = inbox.queued();
    deleteEntries(from, to);
    Map<Long, ReleasedEntry> owed = inbox.released.headMap(to);
    for (long sequence : List.copyOf(owed.keySet())) {
      tables.rows().delete(releasedKey(sequence));
      inbox.removeReleased(sequence);
    }
    cursor.done.removeBelow(to);
    cursor.committed = to;
    cursor.committedBytes = bytesBefore;
    tables.queuedChanged(inbox, inbox.queued() - queued);
    return true;
  }

  private void deleteEntries(long from, long to) {
    if (to - from > InboxTables.POINT_DELETES) {
      tables.rows().deleteRange(entryKey(from), entryKey(to));
      return;
    }
    for (long sequence = from; sequence < to; sequence++) {
      if (!cursor.done.contains(sequence) && !inbox.released.containsKey(sequence)) {
        tables.rows().delete(entryKey(sequence));
      }
    }
  }

  private long bytesBefore(long sequence) {
    if (sequence == cursor.next) {
      return cursor.nextBytes;
    }
    ReleasedEntry owed = inbox.released.get(sequence);
    return owed != null ? owed.bytesBefore() : read(sequence).bytesBefore();
  }

  private EntryRow read(long sequence) {
    byte[] row = tables.rows().get(entryKey(sequence));
    if (row == null) {
      throw new IllegalStateException("inbox " + inbox.handle() + " lacks entry " + sequence);
    }
    return EntryRow.decode(row);
  }

  private void emitDropped(String reason, long count) {
    if (count > 0) {
      tables.emit(new InboxEffect.Dropped(inbox.id, reason, count));
    }
  }

  private byte[] entryKey(long sequence) {
    return InboxKeys.entry(inbox.bucket, inbox.incarnation(), sequence);
  }

  private byte[] releasedKey(long sequence) {
    return InboxKeys.released(inbox.bucket, inbox.incarnation(), sequence);
  }
}
