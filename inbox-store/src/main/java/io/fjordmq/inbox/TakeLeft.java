package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link TrimLeft} and {@link ReadLeft} do today. Only read: logs may have it, and every
 * replica has to make the same rows of it.
 *
 * @param given sequences of messages that others have
 * @param maxEntries that were to be answered
 * @param maxBytes of their rows
 */
record TakeLeft(InboxId id, long incarnation, List<Long> given, int maxEntries, int maxBytes)
    implements InboxCommand {
  /*
   *   .. id
   *   8  incarnation
   *   .. numbers given
   *   v  maxEntries
   *   v  maxBytes
   */
  static final int KIND = 20;

  private static final int MAX_ROWS = 256;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    Fields.writeId(out, id);
    out.writeLong(incarnation);
    Fields.writeNumbers(out, given);
    out.writeVarint(maxEntries).writeVarint(maxBytes);
  }

  static TakeLeft read(ByteReader in) {
    return new TakeLeft(
        Fields.readId(in), in.readLong(), Fields.readNumbers(in), in.readInt(), in.readInt());
  }

  @Override
  public byte[] apply(InboxTables tables) {
    int bucket = InboxKeys.bucket(id);
    byte[] leftKey = InboxKeys.left(bucket, incarnation);
    byte[] row = tables.rows().get(leftKey);
    if (row == null) {
      return Answer.done();
    }
    for (long sequence : given) {
      tables.rows().delete(InboxKeys.entry(bucket, incarnation, sequence));
    }
    LeftRow left = LeftRow.decode(row);
    Walk walk = new Walk(tables.nowMillis(), left);
    tables
        .rows()
        .scan(
            InboxKeys.entry(bucket, incarnation, left.from()),
            InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY + 1),
            walk::visit);
    walk.dropped.forEach(tables.rows()::delete);
    if (!walk.more && walk.found == 0) {
      tables.rows().delete(leftKey);
    }
    TrimLeft.emitDropped(tables, id, DropReasons.EXPIRED, walk.expired);
    TrimLeft.emitDropped(tables, id, DropReasons.SESSION_ENDED, walk.dropped.size() - walk.expired);
    return Answer.done();
  }

  private final class Walk {
    private final long nowMillis;
    private final LeftRow left;
    private final List<byte[]> dropped = new ArrayList<>();
    private int found;
    private int expired;
    private int bytes;
    private boolean more;

    private Walk(long nowMillis, LeftRow left) {
      this.nowMillis = nowMillis;
      this.left = left;
    }

    boolean visit(byte[] key, byte[] value) {
      if (found + dropped.size() >= MAX_ROWS) {
        more = true;
        return false;
      }
      EntryRow entry = EntryRow.decode(value);
      if (!left.isForOthers(InboxKeys.restOfRow(key).readLong(), entry)) {
        dropped.add(key);
        return true;
      }
      if (entry.isExpiredAt(nowMillis)) {
        dropped.add(key);
        expired++;
        return true;
      }
      if (found >= maxEntries || (found > 0 && bytes + value.length > maxBytes)) {
        more = true;
        return false;
      }
      found++;
      bytes += value.length;
      return true;
    }
  }
}
