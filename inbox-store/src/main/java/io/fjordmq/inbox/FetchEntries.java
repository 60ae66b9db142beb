package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads entries in order, starting at a sequence.
 *
 * @param maxEntries maximum number of entries; &gt; 0
 * @param maxBytes maximum total size of their rows; the first entry is returned even if it is
 *     larger
 * @param nowMillis wall clock of the reader: entries that have expired at this time are omitted,
 *     unless they may have been sent on an earlier connection
 */
public record FetchEntries(
    InboxHandle handle, long fromSequence, int maxEntries, int maxBytes, long nowMillis)
    implements InboxQuery {
  /*
   *   .. handle
   *   v  fromSequence, v maxEntries, v maxBytes, v nowMillis
   */
  static final int KIND = 1;

  /** Maximum number of rows that one query reads, so that many expired entries cannot delay it. */
  static final int MAX_ROWS = 10_000;

  /**
   * The decoded response.
   *
   * @param expired sequences that were omitted because they have expired
   * @param nextSequence where the next fetch starts
   * @param end true if there are no entries after these
   */
  public record Result(
      List<InboxEntry> entries, List<Long> expired, long nextSequence, boolean end) {}

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    out.writeVarint(fromSequence)
        .writeVarint(maxEntries)
        .writeVarint(maxBytes)
        .writeVarint(nowMillis);
  }

  static FetchEntries read(ByteReader in) {
    return new FetchEntries(
        FieldCodec.readHandle(in), in.readVarint(), in.readInt(), in.readInt(), in.readVarint());
  }

  @Override
  public byte[] execute(KvReader rows, InboxMemory memory) {
    int bucket = handle.id().bucket();
    byte[] row = rows.get(InboxKeys.state(bucket, handle.id()));
    InboxState state = row == null ? null : InboxState.decode(handle.id(), row);
    if (state == null || !isOwnedBy(state)) {
      return ResponseCodec.fenced();
    }
    PageBuilder page = new PageBuilder(state.sentBelow());
    rows.scan(
        InboxKeys.entry(bucket, handle.incarnation(), fromSequence),
        InboxKeys.kindStart(bucket, handle.incarnation(), InboxKeys.ENTRY + 1),
        page::add);
    return page.encode();
  }

  private boolean isOwnedBy(InboxState state) {
    return state.owner() != null && state.handle().equals(handle);
  }

  /** Builds the response. */
  private final class PageBuilder {
    /*
     *   1  0 done
     *   1  1 if no entries follow
     *   v  nextSequence
     *   .. numbers expired
     *   v  number of entries
     *   v  sequence, b row    for each
     */
    private final List<Long> sequences = new ArrayList<>();
    private final List<byte[]> found = new ArrayList<>();
    private final List<Long> expired = new ArrayList<>();
    private long nextSequence = fromSequence;
    private long bytes;
    private boolean full;
    // Entries that an earlier connection may have sent no longer expire (MQTT-4.3.3-7).
    private final long sentBelow;

    private PageBuilder(long sentBelow) {
      this.sentBelow = sentBelow;
    }

    boolean add(byte[] key, byte[] row) {
      int visited = found.size() + expired.size();
      boolean exceedsMaxBytes = !found.isEmpty() && bytes + row.length > maxBytes;
      if (found.size() >= maxEntries || visited >= MAX_ROWS || exceedsMaxBytes) {
        full = true;
        return false;
      }
      long sequence = InboxKeys.restOfRow(key).readLong();
      nextSequence = sequence + 1;
      if (sequence >= sentBelow && EntryRow.decode(row).isExpiredAt(nowMillis)) {
        expired.add(sequence);
      } else {
        sequences.add(sequence);
        found.add(row);
        bytes += row.length;
      }
      return true;
    }

    byte[] encode() {
      ByteWriter out =
          ResponseCodec.newWriter((int) Math.min(bytes + 32L + 12L * found.size(), 1 << 30));
      out.writeByte(full ? 0 : 1).writeVarint(nextSequence);
      FieldCodec.writeNumbers(out, expired);
      out.writeVarint(found.size());
      for (int i = 0; i < found.size(); i++) {
        out.writeVarint(sequences.get(i)).writeBlock(found.get(i));
      }
      return out.toByteArray();
    }
  }

  /** Decodes a response after its first byte. */
  public static Result decodeResponse(ByteReader in) {
    boolean end = in.readByte() == 1;
    long nextSequence = in.readVarint();
    List<Long> expired = FieldCodec.readNumbers(in);
    int count = in.readCount(2);
    List<InboxEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long sequence = in.readVarint();
      entries.add(EntryRow.decode(in.readView()).toEntry(sequence));
    }
    return new Result(entries, expired, nextSequence, end);
  }
}
