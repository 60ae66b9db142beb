package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads undelivered entries for an operator. Unlike {@link FetchEntries}, it does not require that
 * the caller owns the inbox, and it shortens long payloads.
 *
 * @param fromSequence entries with a lower sequence are omitted
 * @param maxEntries maximum number of entries; &gt; 0
 * @param maxPayloadBytes number of bytes to which payloads are shortened; &ge; 0
 * @param nowMillis entries that have expired at this time are omitted, unless they may have been
 *     sent on an earlier connection
 */
public record PeekEntries(
    InboxId id, long fromSequence, int maxEntries, int maxPayloadBytes, long nowMillis)
    implements InboxQuery {
  /*
   *   .. id
   *   v  fromSequence, v maxEntries, v maxPayloadBytes, v nowMillis
   */
  static final int KIND = 7;

  /** Size of the rows read after which the response ends, in bytes. */
  static final int MAX_BYTES = 4 << 20;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    out.writeVarint(fromSequence)
        .writeVarint(maxEntries)
        .writeVarint(maxPayloadBytes)
        .writeVarint(nowMillis);
  }

  static PeekEntries read(ByteReader in) {
    return new PeekEntries(
        FieldCodec.readId(in), in.readVarint(), in.readInt(), in.readInt(), in.readVarint());
  }

  @Override
  public byte[] execute(KvReader rows, InboxMemory memory) {
    int bucket = id.bucket();
    byte[] row = rows.get(InboxKeys.state(bucket, id));
    InboxState state = row == null ? null : InboxState.decode(id, row);
    if (state == null || !StoredSession.isSession(state, nowMillis)) {
      return new byte[] {0};
    }
    PageBuilder page = new PageBuilder(state.sentBelow());
    long incarnation = state.handle().incarnation();
    rows.scan(
        InboxKeys.entry(bucket, incarnation, fromSequence),
        InboxKeys.kindStart(bucket, incarnation, InboxKeys.ENTRY + 1),
        page::add);
    return page.encode();
  }

  /** Builds the response. */
  private final class PageBuilder {
    /*
     *   1  1 if the session exists
     *   v  sequence where the next page starts; 0 if no entries follow
     *   v  number of entries
     *   v  sequence, 1 QoS and RETAIN << 2, v payload bytes, b message    for each
     */
    private final ByteWriter found = new ByteWriter(1_024);
    private final long sentBelow;
    private int count;
    private int visited;
    private long readBytes;
    private long next;

    PageBuilder(long sentBelow) {
      this.sentBelow = sentBelow;
    }

    boolean add(byte[] key, byte[] row) {
      long sequence = InboxKeys.restOfRow(key).readLong();
      if (count >= maxEntries || visited >= FetchEntries.MAX_ROWS || readBytes >= MAX_BYTES) {
        next = sequence;
        return false;
      }
      visited++;
      readBytes += row.length;
      EntryRow entry = EntryRow.decode(row);
      if (sequence >= sentBelow && entry.isExpiredAt(nowMillis)) {
        return true;
      }
      count++;
      Message message = MessageCodec.decode(entry.message().duplicate());
      found
          .writeVarint(sequence)
          .writeByte(entry.qos().level() | (entry.retain() ? 1 << 2 : 0))
          .writeVarint(message.payload().length)
          .writeBlock(MessageCodec.encode(message.withPayloadUpTo(maxPayloadBytes)));
      return true;
    }

    byte[] encode() {
      return new ByteWriter(found.length() + 16)
          .writeByte(1)
          .writeVarint(next)
          .writeVarint(count)
          .writeBytes(found.toByteArray())
          .toByteArray();
    }
  }

  public static Optional<SessionQueries.EntryPage> decodeResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    if (in.readByte() == 0) {
      return Optional.empty();
    }
    long next = in.readVarint();
    int count = in.readCount(4);
    List<SessionQueries.PeekedEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long sequence = in.readVarint();
      int flags = in.readByte();
      int payloadBytes = in.readInt();
      Message message = MessageCodec.decode(ByteBuffer.wrap(in.readBlock()));
      entries.add(
          new SessionQueries.PeekedEntry(
              sequence, message, Qos.of(flags & 0b11), (flags & 1 << 2) != 0, payloadBytes));
    }
    in.requireEnd();
    return Optional.of(new SessionQueries.EntryPage(entries, next));
  }
}
