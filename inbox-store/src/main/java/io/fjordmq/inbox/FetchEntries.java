package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads entries in order, from a sequence on.
 *
 * @param maxEntries &gt; 0
 * @param maxBytes of their rows; the first entry is given whatever it weighs
 * @param nowMillis the reader's wall clock: what expires by then is left out, unless it may have
 *     been sent on an earlier connection
 */
record FetchEntries(
    InboxHandle handle, long fromSequence, int maxEntries, int maxBytes, long nowMillis)
    implements InboxQuery {
  /*
   *   .. handle
   *   v  fromSequence, v maxEntries, v maxBytes, v nowMillis
   */
  static final int KIND = 1;

  /** Most rows one query looks at, so that many expired ones cannot hold it up. */
  static final int MAX_ROWS = 10_000;

  /**
   * What it answers.
   *
   * @param expired sequences left out because their time has passed
   * @param nextSequence where to go on
   */
  record Found(List<InboxEntry> entries, List<Long> expired, long nextSequence, boolean end) {}

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
  public byte[] answer(KvReader rows, InboxMemory memory) {
    int bucket = InboxKeys.bucket(handle.id());
    byte[] row = rows.get(InboxKeys.state(bucket, handle.id()));
    InboxState state = row == null ? null : InboxState.decode(handle.id(), row);
    if (state == null || !isOwnedBy(state)) {
      return Answer.fenced();
    }
    Page page = new Page(state.sentBelow());
    rows.scan(
        InboxKeys.entry(bucket, handle.incarnation(), fromSequence),
        InboxKeys.kindStart(bucket, handle.incarnation(), InboxKeys.ENTRY + 1),
        page::add);
    return page.encode();
  }

  private boolean isOwnedBy(InboxState state) {
    return state.owner() != null && state.handle().equals(handle);
  }

  /** The answer while it grows. */
  private final class Page {
    /*
     *   1  0 done
     *   1  1 if there is nothing behind
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
    // What an earlier connection has sent does not expire any more (MQTT-4.3.3-7).
    private final long sentBelow;

    private Page(long sentBelow) {
      this.sentBelow = sentBelow;
    }

    boolean add(byte[] key, byte[] row) {
      int visited = found.size() + expired.size();
      boolean overweight = !found.isEmpty() && bytes + row.length > maxBytes;
      if (found.size() >= maxEntries || visited >= MAX_ROWS || overweight) {
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
      ByteWriter out = Answer.open((int) Math.min(bytes + 32L + 12L * found.size(), 1 << 30));
      out.writeByte(full ? 0 : 1).writeVarint(nextSequence);
      FieldCodec.writeNumbers(out, expired);
      out.writeVarint(found.size());
      for (int i = 0; i < found.size(); i++) {
        out.writeVarint(sequences.get(i)).writeBlock(found.get(i));
      }
      return out.toByteArray();
    }
  }

  /** Reads an answer whose first byte is read. */
  static Found decodeAnswer(ByteReader in) {
    boolean end = in.readByte() == 1;
    long nextSequence = in.readVarint();
    List<Long> expired = FieldCodec.readNumbers(in);
    int count = in.readCount(2);
    List<InboxEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long sequence = in.readVarint();
      entries.add(EntryRow.decode(in.readBlock()).toEntry(sequence));
    }
    return new Found(entries, expired, nextSequence, end);
  }
}
