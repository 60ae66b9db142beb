package io.fjordmq.inbox;

/**
 * What becomes of the undelivered messages of shares when their session ends (MQTT 5.0 §4.8.2): the
 * entries stay where they are, in the rows of the incarnation that has ended, and are announced
 * until {@link TrimLeft} has removed the last one.
 */
final class LeftToShares {
  /** Announced again after this time. Replicas must agree on it, so it is no setting. */
  static final long REPEAT_MILLIS = 10_000;

  private LeftToShares() {}

  /** Whether the entries of an inbox that ends have to stay. */
  static boolean hasAny(Inbox inbox) {
    return inbox.cursor.hasShared && inbox.queued() > 0;
  }

  /** The inbox ends and its entries stay. */
  static void leave(InboxTables tables, Inbox inbox) {
    LeftRow row = new LeftRow(inbox.id, inbox.sentBelow(), inbox.cursor.committed);
    tables.rows().put(InboxKeys.left(inbox.bucket, inbox.incarnation()), row.encode());
    announce(tables, inbox.bucket, inbox.incarnation(), inbox.id);
  }

  /** Announces them once more, unless they have gone to others meanwhile. */
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
