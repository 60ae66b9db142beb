package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MessageCodec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the first messages that an ended session has left to shares, within the limits of one
 * {@link TrimLeft}. If it finds none, the next {@link TrimLeft} has messages to drop.
 *
 * @param maxEntries maximum number of messages; &gt; 0
 * @param maxBytes maximum total size of their rows; the first message is returned even if it is
 *     larger
 * @param nowMillis time answered by {@link TrimLeft}; messages that have expired at this time are
 *     omitted
 */
record ReadLeft(InboxId id, long incarnation, int maxEntries, int maxBytes, long nowMillis)
    implements InboxQuery {
  /*
   *   .. id
   *   8  incarnation
   *   v  maxEntries
   *   v  maxBytes
   *   v  nowMillis
   */
  static final int KIND = 3;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    out.writeLong(incarnation).writeVarint(maxEntries).writeVarint(maxBytes).writeVarint(nowMillis);
  }

  static ReadLeft read(ByteReader in) {
    return new ReadLeft(
        FieldCodec.readId(in), in.readLong(), in.readInt(), in.readInt(), in.readVarint());
  }

  @Override
  public byte[] answer(KvReader rows, InboxMemory memory) {
    int bucket = InboxKeys.bucket(id);
    byte[] row = rows.get(InboxKeys.left(bucket, incarnation));
    if (row == null) {
      return encode(true, 0, new byte[0]);
    }
    LeftRow left = LeftRow.decode(row);
    Page page = new Page(left);
    rows.scan(
        InboxKeys.entry(bucket, incarnation, left.from()),
        InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY + 1),
        page::add);
    return encode(false, page.found, page.messages.toByteArray());
  }

  /** Builds the answer. */
  private final class Page {
    private final LeftRow left;
    private final ByteWriter messages = new ByteWriter(256);
    private int found;
    private int bytes;
    private int visited;
    private int visitedBytes;

    Page(LeftRow left) {
      this.left = left;
    }

    boolean add(byte[] key, byte[] value) {
      if (visited >= TrimLeft.MAX_ROWS || visitedBytes >= TrimLeft.MAX_BYTES) {
        return false;
      }
      visited++;
      visitedBytes += value.length;
      EntryRow entry = EntryRow.decode(value);
      long sequence = InboxKeys.restOfRow(key).readLong();
      String share = entry.share();
      if (share == null || !left.isForOthers(sequence, entry) || entry.isExpiredAt(nowMillis)) {
        return true;
      }
      if (found >= maxEntries || (found > 0 && bytes + value.length > maxBytes)) {
        return false;
      }
      found++;
      bytes += value.length;
      messages.writeVarint(sequence).writeString(share).writeBlock(entry.message());
      return true;
    }
  }

  private static byte[] encode(boolean over, int count, byte[] messages) {
    /*
     *   1  0 done
     *   1  1 if nothing is left
     *   v  number of messages
     *   v  sequence, s share, b message    for each
     */
    return Answer.open(8 + messages.length)
        .writeByte(over ? 1 : 0)
        .writeVarint(count)
        .writeBytes(messages)
        .toByteArray();
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
