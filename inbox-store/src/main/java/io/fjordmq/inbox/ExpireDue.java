package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes the due rows of a range, by the time of the log entry: ends sessions, makes wills due,
 * repeats announcements of due wills and of messages left to shares, and forgets idle producers.
 * Answers 1 if it stopped at its limit.
 *
 * @param maxItems maximum number of due rows to process
 * @param producerIdleMillis idle time after which a producer is forgotten
 */
record ExpireDue(int maxItems, long producerIdleMillis) implements InboxCommand {
  /*
   *   v  maxItems
   *   v  producerIdleMillis
   */
  static final int KIND = 12;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeVarint(maxItems).writeVarint(producerIdleMillis);
  }

  static ExpireDue read(ByteReader in) {
    return new ExpireDue(in.readInt(), in.readVarint());
  }

  @Override
  public byte[] apply(InboxTables tables) {
    DueTimes times = tables.dueTimes();
    int left = maxItems;
    for (int bucket = 0; bucket < InboxKeys.BUCKETS && left > 0; bucket++) {
      if (times.mayBeDue(bucket, tables.nowMillis())) {
        left -= expire(tables, bucket, left);
      }
    }
    times.findEarliest();
    return Answer.of(left == 0);
  }

  private int expire(InboxTables tables, int bucket, int limit) {
    List<byte[]> due = new ArrayList<>();
    tables
        .rows()
        .scan(
            InboxKeys.tableStart(bucket, InboxKeys.DUE),
            InboxKeys.dueEnd(bucket, tables.nowMillis()),
            (key, value) -> {
              due.add(key);
              return due.size() < limit;
            });
    for (byte[] key : due) {
      tables.rows().delete(key);
      expire(tables, bucket, key);
    }
    tables.dueTimes().reset(bucket, firstDue(tables, bucket));
    return due.size();
  }

  private void expire(InboxTables tables, int bucket, byte[] dueKey) {
    ByteReader in = new ByteReader(dueKey);
    in.readBytes(11);
    int kind = in.readByte();
    switch (kind) {
      case InboxKeys.DUE_SESSION -> {
        Inbox inbox = tables.find(InboxKeys.readId(in));
        if (inbox != null) {
          SessionExpiry.settle(tables, inbox);
        }
      }
      case InboxKeys.DUE_WILL ->
          SessionExpiry.repeatWill(tables, bucket, in.readLong(), in.readLong());
      case InboxKeys.DUE_PRODUCER ->
          Producers.sweep(tables, bucket, in.readLong(), in.readLong(), producerIdleMillis);
      case InboxKeys.DUE_LEFT -> LeftToShares.repeat(tables, bucket, in.readLong());
      default -> throw new IllegalStateException("due row has unknown kind " + kind);
    }
  }

  private static long firstDue(InboxTables tables, int bucket) {
    long[] first = {InboxState.NEVER};
    tables
        .rows()
        .scan(
            InboxKeys.tableStart(bucket, InboxKeys.DUE),
            InboxKeys.tableStart(bucket, InboxKeys.WILL),
            (key, value) -> {
              first[0] = InboxKeys.dueAtOf(key);
              return false;
            });
    return first[0];
  }
}
