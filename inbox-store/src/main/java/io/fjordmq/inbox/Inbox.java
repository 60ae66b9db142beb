package io.fjordmq.inbox;

import java.util.TreeMap;

/**
 * One inbox in a replica's memory. It is derived from the rows, so it can be evicted between two
 * commands.
 */
final class Inbox {
  final InboxId id;
  final int bucket;
  final InboxCursor cursor;

  /** Entries whose PUBREC was recorded, by sequence. */
  final TreeMap<Long, ReleasedRow> released = new TreeMap<>();

  private InboxState state;
  private long releasedBytes;

  Inbox(InboxState state, InboxCursor cursor) {
    this.id = state.handle().id();
    this.bucket = id.bucket();
    this.state = state;
    this.cursor = cursor;
  }

  InboxState state() {
    return state;
  }

  void setState(InboxState next) {
    state = next;
  }

  InboxHandle handle() {
    return state.handle();
  }

  long incarnation() {
    return state.handle().incarnation();
  }

  /**
   * Returns the sequence below which entries may have been sent on an ended connection. A
   * connection that did not detach the inbox may have sent all entries.
   */
  long sentBelow() {
    return state.owner() == null ? state.sentBelow() : cursor.next;
  }

  void addReleased(long sequence, ReleasedRow entry) {
    released.put(sequence, entry);
    releasedBytes += entry.bytes();
  }

  void removeReleased(long sequence) {
    ReleasedRow entry = released.remove(sequence);
    if (entry != null) {
      releasedBytes -= entry.bytes();
    }
  }

  /** Returns the number of undelivered entries, without released ones. */
  long queued() {
    return cursor.next - cursor.committed - cursor.settled.count() - released.size();
  }

  /** Returns the size of these entries in bytes. */
  long queuedBytes() {
    return cursor.nextBytes - cursor.committedBytes - cursor.settled.bytes() - releasedBytes;
  }
}
