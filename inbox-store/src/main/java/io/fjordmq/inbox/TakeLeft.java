package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MessageCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes on with what an ended session has left: forgets the messages that others have by now, drops
 * those that nobody may have, and answers the next ones.
 *
 * @param given sequences of messages that others have
 * @param maxEntries to answer; may be 0
 * @param maxBytes of the rows answered; the first one is given whatever it weighs
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

  /** Most rows one command looks at. */
  static final int MAX_ROWS = 256;

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
      return new Walk(0, null).encode();
    }
    for (long sequence : given) {
      tables.rows().delete(InboxKeys.entry(bucket, incarnation, sequence));
    }
    Walk walk = new Walk(tables.nowMillis(), LeftRow.decode(row));
    tables
        .rows()
        .scan(
            InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY),
            InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY + 1),
            walk::visit);
    walk.dropped.forEach(tables.rows()::delete);
    if (walk.isOver()) {
      tables.rows().delete(leftKey);
    }
    emitDropped(tables, DropReasons.EXPIRED, walk.expired);
    emitDropped(tables, DropReasons.SESSION_ENDED, walk.dropped.size() - walk.expired);
    return walk.encode();
  }

  private void emitDropped(InboxTables tables, String reason, long count) {
    if (count > 0) {
      tables.emit(new InboxEffect.Dropped(id, reason, count));
    }
  }

  /** The answer while it grows. */
  private final class Walk {
    /*
     *   1  0 done
     *   1  1 if nothing is left
     *   v  number of messages
     *   v  sequence, s share, b message    for each
     */
    private final long nowMillis;
    private final @Nullable LeftRow left;
    private final List<byte[]> dropped = new ArrayList<>();
    private final ByteWriter messages = new ByteWriter(256);
    private int found;
    private int expired;
    private int bytes;
    private boolean more;

    private Walk(long nowMillis, @Nullable LeftRow left) {
      this.nowMillis = nowMillis;
      this.left = left;
    }

    boolean visit(byte[] key, byte[] value) {
      if (found + dropped.size() >= MAX_ROWS) {
        more = true;
        return false;
      }
      EntryRow entry = EntryRow.decode(value);
      long sequence = InboxKeys.restOfRow(key).readLong();
      String share = entry.share();
      if (share == null || left == null || !left.isForOthers(sequence, entry)) {
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
      messages.writeVarint(sequence).writeString(share).writeBlock(entry.message());
      return true;
    }

    boolean isOver() {
      return !more && found == 0;
    }

    byte[] encode() {
      byte[] all = messages.toByteArray();
      return Answer.open(8 + all.length)
          .writeByte(isOver() ? 1 : 0)
          .writeVarint(found)
          .writeBytes(all)
          .toByteArray();
    }
  }

  static LeftMessage.Page decodeAnswer(byte[] answer) {
    ByteReader in = new ByteReader(answer);
    in.readByte();
    boolean over = in.readByte() == 1;
    int count = in.readCount(3);
    List<LeftMessage> messages = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      messages.add(
          new LeftMessage(
              in.readVarint(),
              in.readString(),
              MessageCodec.decode(ByteBuffer.wrap(in.readBlock()))));
    }
    return new LeftMessage.Page(messages, over);
  }
}
