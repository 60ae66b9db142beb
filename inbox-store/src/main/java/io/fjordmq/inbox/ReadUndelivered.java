package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the first undelivered share messages of an ended session, within the limits of one {@link
 * TrimUndelivered}. If this query finds none, the next {@link TrimUndelivered} has messages to
 * drop.
 *
 * @param maxEntries maximum number of messages; &gt; 0
 * @param maxBytes maximum total size of their rows; the first message is returned even if it is
 *     larger
 * @param nowMillis time returned by {@link TrimUndelivered}; messages that have expired at this
 *     time are omitted
 */
public record ReadUndelivered(
    InboxId id, long incarnation, int maxEntries, int maxBytes, long nowMillis)
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

  static ReadUndelivered read(ByteReader in) {
    return new ReadUndelivered(
        FieldCodec.readId(in), in.readLong(), in.readInt(), in.readInt(), in.readVarint());
  }

  @Override
  public byte[] execute(KvReader rows, InboxMemory memory) {
    int bucket = id.bucket();
    byte[] row = rows.get(InboxKeys.undelivered(bucket, incarnation));
    if (row == null) {
      return encode(true, 0, new byte[0]);
    }
    UndeliveredRow undelivered = UndeliveredRow.decode(row);
    PageBuilder page = new PageBuilder(undelivered);
    rows.scan(
        InboxKeys.entry(bucket, incarnation, undelivered.from()),
        InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY + 1),
        page::add);
    return encode(false, page.found, page.messages.toByteArray());
  }

  /** Builds the response. */
  private final class PageBuilder {
    private final UndeliveredRow undelivered;
    private final ByteWriter messages = new ByteWriter(256);
    private int found;
    private int bytes;
    private int visited;
    private int visitedBytes;

    PageBuilder(UndeliveredRow undelivered) {
      this.undelivered = undelivered;
    }

    boolean add(byte[] key, byte[] value) {
      if (visited >= TrimUndelivered.MAX_ROWS || visitedBytes >= TrimUndelivered.MAX_BYTES) {
        return false;
      }
      visited++;
      visitedBytes += value.length;
      EntryRow entry = EntryRow.decode(value);
      long sequence = InboxKeys.restOfRow(key).readLong();
      String share = entry.share();
      if (share == null
          || !undelivered.mayRedistribute(sequence, entry)
          || entry.isExpiredAt(nowMillis)) {
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

  private static byte[] encode(boolean complete, int count, byte[] messages) {
    /*
     *   1  0 done
     *   1  1 if no messages remain
     *   v  number of messages
     *   v  sequence, s share, b message    for each
     */
    return ResponseCodec.newWriter(8 + messages.length)
        .writeByte(complete ? 1 : 0)
        .writeVarint(count)
        .writeBytes(messages)
        .toByteArray();
  }

  public static UndeliveredShareMessage.Page decodeResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    in.readByte();
    boolean complete = in.readByte() == 1;
    int count = in.readCount(3);
    List<UndeliveredShareMessage> messages = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      messages.add(
          new UndeliveredShareMessage(
              in.readVarint(),
              in.readString(),
              MessageCodec.decode(ByteBuffer.wrap(in.readBlock()))));
    }
    return new UndeliveredShareMessage.Page(messages, complete);
  }
}
