package io.fjordmq.inbox;

import org.jspecify.annotations.Nullable;

/** Detects repeated messages of producers. */
final class Producers {
  private Producers() {}

  static boolean has(InboxTables tables, Inbox inbox, PublishId id) {
    ProducerRow row = find(tables, inbox, id.producer());
    return row != null && row.has(id.sequence());
  }

  static void add(InboxTables tables, Inbox inbox, PublishId id, long idleMillis) {
    ProducerRow row = find(tables, inbox, id.producer());
    long now = tables.nowMillis();
    if (row == null) {
      lookAgain(tables, inbox.bucket, inbox.incarnation(), id.producer(), now + idleMillis);
    }
    ProducerRow next = row == null ? ProducerRow.first(id, now) : row.plus(id, now);
    tables.rows().put(key(inbox.bucket, inbox.incarnation(), id.producer()), next.encode());
  }

  /** Removes a producer that has been idle for too long. */
  static void sweep(
      InboxTables tables, int bucket, long incarnation, long producer, long idleMillis) {
    byte[] key = key(bucket, incarnation, producer);
    byte[] row = tables.rows().get(key);
    if (row == null) {
      return; // removed with its inbox
    }
    long idleAt = ProducerRow.decode(row).usedAtMillis() + idleMillis;
    if (idleAt <= tables.nowMillis()) {
      tables.rows().delete(key);
    } else {
      lookAgain(tables, bucket, incarnation, producer, idleAt);
    }
  }

  private static void lookAgain(
      InboxTables tables, int bucket, long incarnation, long producer, long at) {
    tables.putDue(bucket, at, InboxKeys.dueProducer(bucket, at, incarnation, producer));
  }

  private static @Nullable ProducerRow find(InboxTables tables, Inbox inbox, long producer) {
    byte[] row = tables.rows().get(key(inbox.bucket, inbox.incarnation(), producer));
    return row == null ? null : ProducerRow.decode(row);
  }

  private static byte[] key(int bucket, long incarnation, long producer) {
    return InboxKeys.producer(bucket, incarnation, producer);
  }
}
