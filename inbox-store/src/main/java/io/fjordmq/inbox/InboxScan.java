package io.fjordmq.inbox;

import io.fjordmq.range.kv.KvReader;
import org.jspecify.annotations.Nullable;

/** Scans the small tables of all buckets and skips the messages between them. */
final class InboxScan {
  /** Receives the rows of a scan. */
  interface Visitor {
    /** Visits a state row; returns false to stop the scan. */
    boolean state(byte[] key, byte[] value);

    /** Visits the first due row of a bucket. */
    default void due(int bucket, long dueAtMillis) {}
  }

  private final byte @Nullable [] end;
  private final Visitor visitor;
  private byte @Nullable [] next;

  private InboxScan(byte[] start, byte @Nullable [] end, Visitor visitor) {
    this.next = start;
    this.end = end;
    this.visitor = visitor;
  }

  /** Visits state rows and due rows with {@code start <= key < end}. */
  static void visit(KvReader rows, byte[] start, byte @Nullable [] end, Visitor visitor) {
    new InboxScan(start, end, visitor).run(rows);
  }

  private void run(KvReader rows) {
    while (next != null) {
      byte[] from = next;
      next = null;
      rows.scan(from, end, this::visit);
    }
  }

  private boolean visit(byte[] key, byte[] value) {
    int table = InboxKeys.tableOf(key);
    if (table == InboxKeys.STATE) {
      return visitor.state(key, value);
    }
    int bucket = InboxKeys.bucketOf(key);
    if (table == InboxKeys.DUE) {
      visitor.due(bucket, InboxKeys.dueAtOf(key));
    }
    // Due rows are sorted, so the first one is enough; skip the rest of the bucket.
    if (bucket + 1 < InboxId.BUCKETS) {
      next = InboxKeys.bucketStart(bucket + 1);
    }
    return false;
  }
}
