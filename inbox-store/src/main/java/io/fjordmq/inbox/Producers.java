package io.fjordmq.inbox;

import org.jspecify.annotations.Nullable;

/** Detects repeated messages of producers. */
final class Producers {
  private Producers() {}

  static boolean isDuplicate(InboxRows inboxes, Inbox inbox, PublishId id) {
    ProducerRow row = find(inboxes, inbox, id.producer());
    return row != null && row.has(id.sequence());
  }

  static void record(InboxRows inboxes, Inbox inbox, PublishId id, long idleMillis) {
    ProducerRow row = find(inboxes, inbox, id.producer());
    long now = inboxes.nowMillis();
    if (row == null) {
      scheduleExpiryCheck(
          inboxes, inbox.bucket, inbox.incarnation(), id.producer(), now + idleMillis);
    }
    ProducerRow next = row == null ? ProducerRow.create(id, now) : row.plus(id, now);
    inboxes.rows().put(key(inbox.bucket, inbox.incarnation(), id.producer()), next.encode());
  }

  /** Removes a producer that has been idle for too long. */
  static void sweep(
      InboxRows inboxes, int bucket, long incarnation, long producer, long idleMillis) {
    byte[] key = key(bucket, incarnation, producer);
    byte[] row = inboxes.rows().get(key);
    if (row == null) {
      return; // removed with its inbox
    }
    long idleAt = ProducerRow.decode(row).usedAtMillis() + idleMillis;
    if (idleAt <= inboxes.nowMillis()) {
      inboxes.rows().delete(key);
    } else {
      scheduleExpiryCheck(inboxes, bucket, incarnation, producer, idleAt);
    }
  }

  private static void scheduleExpiryCheck(
      InboxRows inboxes, int bucket, long incarnation, long producer, long at) {
    inboxes.putDue(bucket, at, InboxKeys.dueProducer(bucket, at, incarnation, producer));
  }

  private static @Nullable ProducerRow find(InboxRows inboxes, Inbox inbox, long producer) {
    byte[] row = inboxes.rows().get(key(inbox.bucket, inbox.incarnation(), producer));
    return row == null ? null : ProducerRow.decode(row);
  }

  private static byte[] key(int bucket, long incarnation, long producer) {
    return InboxKeys.producer(bucket, incarnation, producer);
  }
}
