package io.fjordmq.inbox;

import java.util.TreeMap;

/**
 * One inbox in a replica's memory. All of it can be read from the rows again, so it may be thrown
 * away between two commands.
 */
final class Inbox {
  final InboxId id;
  final int bucket;
  final InboxCursor cursor;

  /** Entries whose PUBREC was recorded, by sequence. */
  final TreeMap<Long, ReleasedEntry> released = new TreeMap<>();

  private InboxState state;
  private long releasedBytes;

  Inbox(InboxState state, InboxCursor cursor) {
    this.id = state.handle().id();
    this.bucket = InboxKeys.bucket(id);
    this.state = state;
    this.cursor = cursor;
  }

  InboxState state() {
    return state;
  }

  void state(InboxState next) {
    state = next;
  }

  InboxHandle handle() {
    return state.handle();
  }

  long incarnation() {
    return state.handle().incarnation();
  }

  /**
   * Entries with a lower sequence may have been sent on a connection that has ended. A connection
   * that did not give the inbox back may have sent all there are.
   */
  long sentBelow() {
    return state.owner() == null ? state.sentBelow() : cursor.next;
  }

  void addReleased(long sequence, ReleasedEntry entry) {
    released.put(sequence, entry);
    releasedBytes += entry.bytes();
  }

  void removeReleased(long sequence) {
    ReleasedEntry entry = released.remove(sequence);
    if (entry != null) {
      releasedBytes -= entry.bytes();
    }
  }

  /** Entries that are there. */
  long queued() {
    return cursor.next - cursor.committed - cursor.done.count() - released.size();
  }

  /** What they weigh. */
  long queuedBytes() {
    return cursor.nextBytes - cursor.committedBytes - cursor.done.bytes() - releasedBytes;
  }
}
