package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Trims the messages that an ended session has left to shares: removes those that other members
 * have received, drops leading ones that may not go to anyone, and records where the rest starts.
 * {@link ReadLeft} reads the rest, because an answer of this command would be stored with its
 * sender.
 *
 * <p>On the apply thread, the command deletes the rows of {@code given} and reads at most {@link
 * #MAX_ROWS} rows and, except for the last row, at most {@link #MAX_BYTES}, no matter how many rows
 * were deleted before.
 *
 * @param given sequences that other members have received; at most one page
 */
record TrimLeft(InboxId id, long incarnation, List<Long> given) implements InboxCommand {
  /*
   *   .. id
   *   8  incarnation
   *   .. numbers given
   */
  static final int KIND = 20;

  /** Maximum number of rows that one command reads. */
  static final int MAX_ROWS = 256;

  /** Size of rows after which one command reads no further row. */
  static final int MAX_BYTES = 1 << 20;

  /**
   * The decoded answer.
   *
   * @param over true if no messages are left
   * @param nowMillis time of the log entry; leading messages that had expired by then are removed
   */
  record Trimmed(boolean over, long nowMillis) {}

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    out.writeLong(incarnation);
    FieldCodec.writeNumbers(out, given);
  }

  static TrimLeft read(ByteReader in) {
    return new TrimLeft(FieldCodec.readId(in), in.readLong(), FieldCodec.readNumbers(in));
  }

  @Override
  public byte[] apply(InboxTables tables) {
    int bucket = InboxKeys.bucket(id);
    byte[] leftKey = InboxKeys.left(bucket, incarnation);
    byte[] row = tables.rows().get(leftKey);
    if (row == null) {
      return encode(new Trimmed(true, tables.nowMillis()));
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
    if (walk.over) {
      tables.rows().delete(leftKey);
    } else if (walk.next != left.from()) {
      tables.rows().put(leftKey, left.startingAt(walk.next).encode());
    }
    int expired = walk.expired;
    emitDropped(tables, DropReasons.EXPIRED, expired);
    emitDropped(tables, DropReasons.SESSION_ENDED, walk.dropped.size() - expired);
    return encode(new Trimmed(walk.over, tables.nowMillis()));
  }

  private void emitDropped(InboxTables tables, String reason, long count) {
    if (count > 0) {
      tables.emit(new InboxEffect.Dropped(id, reason, count));
    }
  }

  /** Trims up to the first message that may go to another member. */
  private static final class Walk {
    private final long nowMillis;
    private final LeftRow left;
    private final List<byte[]> dropped = new ArrayList<>();
    private int expired;
    private int bytes;
    private long next;
    private boolean over = true;

    Walk(long nowMillis, LeftRow left) {
      this.nowMillis = nowMillis;
      this.left = left;
    }

    boolean visit(byte[] key, byte[] value) {
      next = InboxKeys.restOfRow(key).readLong();
      if (dropped.size() >= MAX_ROWS || bytes >= MAX_BYTES) {
        over = false;
        return false;
      }
      bytes += value.length;
      EntryRow entry = EntryRow.decode(value);
      if (!left.isForOthers(next, entry)) {
        dropped.add(key);
      } else if (entry.isExpiredAt(nowMillis)) {
        dropped.add(key);
        expired++;
      } else {
        over = false;
      }
      return over;
    }
  }

  private static byte[] encode(Trimmed trimmed) {
    /*
     *   1  0 done
     *   1  1 if nothing is left
     *   v  nowMillis
     */
    return Answer.open(12)
        .writeByte(trimmed.over ? 1 : 0)
        .writeVarint(trimmed.nowMillis)
        .toByteArray();
  }

  static Trimmed decodeAnswer(byte[] answer) {
    ByteReader in = new ByteReader(answer);
    in.readByte();
    return new Trimmed(in.readByte() == 1, in.readVarint());
  }
}
