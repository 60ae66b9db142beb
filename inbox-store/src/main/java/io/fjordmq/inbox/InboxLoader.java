package io.fjordmq.inbox;

import io.fjordmq.range.kv.KvReader;
import org.jspecify.annotations.Nullable;

/** Loads an inbox from its rows. */
final class InboxLoader {
  private InboxLoader() {}

  static @Nullable Inbox load(KvReader rows, InboxId id) {
    byte[] row = rows.get(InboxKeys.state(id.bucket(), id));
    return row == null ? null : load(rows, InboxState.decode(id, row));
  }

  static Inbox load(KvReader rows, InboxState state) {
    int bucket = state.handle().id().bucket();
    long incarnation = state.handle().incarnation();
    byte[] row = rows.get(InboxKeys.cursor(bucket, incarnation));
    if (row == null) {
      throw new IllegalStateException("cursor row is missing for inbox " + state.handle());
    }
    InboxCursor cursor = InboxCursor.decode(row);
    catchUp(rows, bucket, incarnation, cursor);
    Inbox inbox = new Inbox(state, cursor);
    if (cursor.hasReleased) {
      rows.scan(
          InboxKeys.kindStart(bucket, incarnation, InboxKeys.RELEASED),
          InboxKeys.kindStart(bucket, incarnation, InboxKeys.RELEASED + 1),
          (key, value) -> {
            long sequence = InboxKeys.restOfRow(key).readLong();
            inbox.addReleased(sequence, ReleasedRow.decode(value));
            return true;
          });
    }
    return inbox;
  }

  /** Advances a cursor past the entries that were appended since it was written. */
  private static void catchUp(KvReader rows, int bucket, long incarnation, InboxCursor cursor) {
    rows.scanBackwards(
        InboxKeys.entry(bucket, incarnation, cursor.next),
        InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY + 1),
        (key, value) -> {
          EntryRow last = EntryRow.decode(value);
          cursor.next = InboxKeys.restOfRow(key).readLong() + 1;
          cursor.nextBytes = last.bytesBefore() + last.bytes();
          return false;
        });
  }
}
