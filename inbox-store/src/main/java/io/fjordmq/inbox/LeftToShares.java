package io.fjordmq.inbox;

/**
 * Keeps the undelivered share messages of an ended session for other members (MQTT 5.0 §4.8.2). The
 * entries stay in the rows of the ended incarnation and are announced until {@link TrimLeft} has
 * removed the last one.
 */
final class LeftToShares {
  /**
   * Interval between announcements. Replicas must agree on this value, so it is not configurable.
   */
  static final long REPEAT_MILLIS = 10_000;

  private LeftToShares() {}

  /** Returns true if the entries of an ending inbox must be kept. */
  static boolean hasAny(Inbox inbox) {
    return inbox.cursor.hasShared && inbox.queued() > 0;
  }

  /** Keeps the entries of an ending inbox and announces them. */
  static void leave(InboxTables tables, Inbox inbox) {
    LeftRow row = new LeftRow(inbox.id, inbox.sentBelow(), inbox.cursor.committed);
    tables.rows().put(InboxKeys.left(inbox.bucket, inbox.incarnation()), row.encode());
    announce(tables, inbox.bucket, inbox.incarnation(), inbox.id);
  }

  /** Announces the entries again, unless all of them have been removed. */
  static void repeat(InboxTables tables, int bucket, long incarnation) {
    byte[] row = tables.rows().get(InboxKeys.left(bucket, incarnation));
    if (row != null) {
      announce(tables, bucket, incarnation, LeftRow.decode(row).id());
    }
  }

  private static void announce(InboxTables tables, int bucket, long incarnation, InboxId id) {
    tables.emit(new InboxEffect.SharesLeft(id, incarnation));
    long at = tables.nowMillis() + REPEAT_MILLIS;
    tables.putDue(bucket, at, InboxKeys.dueLeft(bucket, at, incarnation));
  }
}
