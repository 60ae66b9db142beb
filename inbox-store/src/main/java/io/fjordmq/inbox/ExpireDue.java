package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes the rows of a range that are due at the time of the log entry: ends sessions, makes
 * wills due, repeats announcements of due wills and of undelivered share messages, and forgets idle
 * producers. The response is 1 if the command stopped at its limit.
 *
 * @param maxItems maximum number of due rows to process
 * @param producerIdleMillis idle time after which a producer is forgotten
 */
public record ExpireDue(int maxItems, long producerIdleMillis) implements InboxCommand {
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
  public byte[] apply(InboxRows inboxes) {
    DueTimes times = inboxes.dueTimes();
    int remaining = maxItems;
    for (int bucket = 0; bucket < InboxId.BUCKETS && remaining > 0; bucket++) {
      if (times.mayBeDue(bucket, inboxes.nowMillis())) {
        remaining -= expire(inboxes, bucket, remaining);
      }
    }
    times.findEarliest();
    return ResponseCodec.of(remaining == 0);
  }

  private int expire(InboxRows inboxes, int bucket, int limit) {
    List<byte[]> due = new ArrayList<>();
    inboxes
        .rows()
        .scan(
            InboxKeys.tableStart(bucket, InboxKeys.DUE),
            InboxKeys.dueEnd(bucket, inboxes.nowMillis()),
            (key, value) -> {
              due.add(key);
              return due.size() < limit;
            });
    for (byte[] key : due) {
      inboxes.rows().delete(key);
      expire(inboxes, bucket, key);
    }
    inboxes.dueTimes().reset(bucket, firstDue(inboxes, bucket));
    return due.size();
  }

  private void expire(InboxRows inboxes, int bucket, byte[] dueKey) {
    ByteReader in = new ByteReader(dueKey);
    in.readBytes(11);
    int kind = in.readByte();
    switch (kind) {
      case InboxKeys.DUE_SESSION -> {
        Inbox inbox = inboxes.find(InboxKeys.readId(in));
        if (inbox != null) {
          SessionExpiry.applyDue(inboxes, inbox);
        }
      }
      case InboxKeys.DUE_WILL ->
          SessionExpiry.reannounceWill(inboxes, bucket, in.readLong(), in.readLong());
      case InboxKeys.DUE_PRODUCER ->
          Producers.sweep(inboxes, bucket, in.readLong(), in.readLong(), producerIdleMillis);
      case InboxKeys.DUE_UNDELIVERED ->
          UndeliveredShares.reannounce(inboxes, bucket, in.readLong());
      default -> throw new IllegalStateException("due row has unknown kind " + kind);
    }
  }

  private static long firstDue(InboxRows inboxes, int bucket) {
    long[] first = {InboxState.NEVER};
    inboxes
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
