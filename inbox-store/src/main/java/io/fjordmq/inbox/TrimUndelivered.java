package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Trims the undelivered share messages of an ended session: removes those that other members have
 * received, drops leading ones that no member may receive, and records where the remaining ones
 * start. {@link ReadUndelivered} reads those, because the range stores the response to a command,
 * but not to a query.
 *
 * <p>On the apply thread, the command deletes the rows of {@code delivered} and reads at most
 * {@link #MAX_ROWS} rows and, except for the last row, at most {@link #MAX_BYTES}, no matter how
 * many rows were deleted before.
 *
 * @param delivered sequences that other members have received; at most one page
 */
public record TrimUndelivered(InboxId id, long incarnation, List<Long> delivered)
    implements InboxCommand {
  /*
   *   .. id
   *   8  incarnation
   *   .. numbers delivered
   */
  static final int KIND = 20;

  /** Maximum number of rows that one command reads. */
  public static final int MAX_ROWS = 256;

  /** Size of rows after which one command reads no further row. */
  static final int MAX_BYTES = 1 << 20;

  /**
   * The decoded response.
   *
   * @param complete true if no messages remain
   * @param nowMillis time of the log entry; leading messages that had expired by then are removed
   */
  public record Result(boolean complete, long nowMillis) {}

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    out.writeLong(incarnation);
    FieldCodec.writeNumbers(out, delivered);
  }

  static TrimUndelivered read(ByteReader in) {
    return new TrimUndelivered(FieldCodec.readId(in), in.readLong(), FieldCodec.readNumbers(in));
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    int bucket = id.bucket();
    byte[] undeliveredKey = InboxKeys.undelivered(bucket, incarnation);
    byte[] row = inboxes.rows().get(undeliveredKey);
    if (row == null) {
      return encode(new Result(true, inboxes.nowMillis()));
    }
    for (long sequence : delivered) {
      inboxes.rows().delete(InboxKeys.entry(bucket, incarnation, sequence));
    }
    UndeliveredRow undelivered = UndeliveredRow.decode(row);
    Trimmer trimmer = new Trimmer(inboxes.nowMillis(), undelivered);
    inboxes
        .rows()
        .scan(
            InboxKeys.entry(bucket, incarnation, undelivered.from()),
            InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY + 1),
            trimmer::visit);
    trimmer.dropped.forEach(inboxes.rows()::delete);
    if (trimmer.complete) {
      inboxes.rows().delete(undeliveredKey);
    } else if (trimmer.next != undelivered.from()) {
      inboxes.rows().put(undeliveredKey, undelivered.startingAt(trimmer.next).encode());
    }
    int expired = trimmer.expired;
    emitDropped(inboxes, DropReasons.EXPIRED, expired);
    emitDropped(inboxes, DropReasons.SESSION_ENDED, trimmer.dropped.size() - expired);
    return encode(new Result(trimmer.complete, inboxes.nowMillis()));
  }

  private void emitDropped(InboxRows inboxes, String reason, long count) {
    if (count > 0) {
      inboxes.emit(new InboxEffect.Dropped(id, reason, count));
    }
  }

  /** Trims up to the first message that may go to another member. */
  private static final class Trimmer {
    private final long nowMillis;
    private final UndeliveredRow undelivered;
    private final List<byte[]> dropped = new ArrayList<>();
    private int expired;
    private int bytes;
    private long next;
    private boolean complete = true;

    Trimmer(long nowMillis, UndeliveredRow undelivered) {
      this.nowMillis = nowMillis;
      this.undelivered = undelivered;
    }

    boolean visit(byte[] key, byte[] value) {
      next = InboxKeys.restOfRow(key).readLong();
      if (dropped.size() >= MAX_ROWS || bytes >= MAX_BYTES) {
        complete = false;
        return false;
      }
      bytes += value.length;
      EntryRow entry = EntryRow.decode(value);
      if (!undelivered.mayRedistribute(next, entry)) {
        dropped.add(key);
      } else if (entry.isExpiredAt(nowMillis)) {
        dropped.add(key);
        expired++;
      } else {
        complete = false;
      }
      return complete;
    }
  }

  private static byte[] encode(Result trimmed) {
    /*
     *   1  0 done
     *   1  1 if no messages remain
     *   v  nowMillis
     */
    return ResponseCodec.newWriter(12)
        .writeByte(trimmed.complete ? 1 : 0)
        .writeVarint(trimmed.nowMillis)
        .toByteArray();
  }

  public static Result decodeResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    in.readByte();
    return new Result(in.readByte() == 1, in.readVarint());
  }
}
