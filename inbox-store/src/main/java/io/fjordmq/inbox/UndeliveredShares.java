package io.fjordmq.inbox;

/**
 * Keeps the undelivered share messages of an ended session (those of its shared subscriptions) for
 * other members of the share (MQTT 5.0 §4.8.2). The entries stay in the rows of the ended
 * incarnation and are announced until {@link TrimUndelivered} has removed the last one.
 */
final class UndeliveredShares {
  /**
   * Interval between announcements. Replicas must agree on this value, so it is not configurable.
   */
  static final long REPEAT_MILLIS = 10_000;

  private UndeliveredShares() {}

  /** Returns true if the entries of an ending inbox must be kept. */
  static boolean mustKeep(Inbox inbox) {
    return inbox.cursor.hasShared && inbox.queued() > 0;
  }

  /** Keeps the entries of an ending inbox and announces them. */
  static void keep(InboxRows inboxes, Inbox inbox) {
    UndeliveredRow row = new UndeliveredRow(inbox.id, inbox.sentBelow(), inbox.cursor.committed);
    inboxes.rows().put(InboxKeys.undelivered(inbox.bucket, inbox.incarnation()), row.encode());
    announce(inboxes, inbox.bucket, inbox.incarnation(), inbox.id);
  }

  /** Announces the entries again, unless all of them have been removed. */
  static void reannounce(InboxRows inboxes, int bucket, long incarnation) {
    byte[] row = inboxes.rows().get(InboxKeys.undelivered(bucket, incarnation));
    if (row != null) {
      announce(inboxes, bucket, incarnation, UndeliveredRow.decode(row).id());
    }
  }

  private static void announce(InboxRows inboxes, int bucket, long incarnation, InboxId id) {
    inboxes.emit(new InboxEffect.ShareMessagesUndelivered(id, incarnation));
    long at = inboxes.nowMillis() + REPEAT_MILLIS;
    inboxes.putDue(bucket, at, InboxKeys.dueUndelivered(bucket, at, incarnation));
  }
}
