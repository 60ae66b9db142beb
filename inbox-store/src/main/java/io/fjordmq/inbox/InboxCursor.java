package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/**
 * The positions and counters of an inbox. Written when entries are acknowledged or dropped and when
 * subscriptions change. An append does not write it, because {@link #next} and {@link #nextBytes}
 * can be derived from the last entry.
 */
final class InboxCursor {
  /*
   *   1  version 1; 2 if an entry came through a share
   *   1  flags   bit 0 there may be released rows
   *   v  committed
   *   v  committedBytes
   *   v  next
   *   v  nextBytes
   *   v  nextPublish
   *   v  subscriptions
   *   .. done
   */
  private static final int VERSION = 2;
  private static final int VERSION_WITHOUT_SHARES = 1;
  private static final int HAS_RELEASED = 1;

  /**
   * All entries below this sequence are settled. The entry with this sequence is not, unless the
   * sequence equals {@link #next}.
   */
  long committed = 1;

  /** Total size of all entries below {@link #committed} since the inbox was created. */
  long committedBytes;

  /** Sequence of the next entry. */
  long next = 1;

  /** Total size of all entries since the inbox was created. */
  long nextBytes;

  /** Sequence of the next QoS 2 publish of the client. */
  long nextPublish = 1;

  long subscriptions;

  boolean hasReleased;

  /** True if any entry came through a share, even if that entry is gone. */
  boolean hasShared;

  /** Settled entries above {@link #committed}. */
  final SequenceRuns settled;

  InboxCursor() {
    this(new SequenceRuns());
  }

  private InboxCursor(SequenceRuns settled) {
    this.settled = settled;
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(32);
    out.writeByte(hasShared ? VERSION : VERSION_WITHOUT_SHARES)
        .writeByte(hasReleased ? HAS_RELEASED : 0)
        .writeVarint(committed)
        .writeVarint(committedBytes)
        .writeVarint(next)
        .writeVarint(nextBytes)
        .writeVarint(nextPublish)
        .writeVarint(subscriptions);
    settled.write(out);
    return out.toByteArray();
  }

  static InboxCursor decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    int version = in.readByte();
    if (version != VERSION_WITHOUT_SHARES) {
      NewerFormatException.require("inbox cursor", VERSION, version);
    }
    boolean hasReleased = (in.readByte() & HAS_RELEASED) != 0;
    long[] numbers = new long[6];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.readVarint();
    }
    InboxCursor cursor = new InboxCursor(SequenceRuns.read(in));
    cursor.hasReleased = hasReleased;
    cursor.hasShared = version != VERSION_WITHOUT_SHARES;
    cursor.committed = numbers[0];
    cursor.committedBytes = numbers[1];
    cursor.next = numbers[2];
    cursor.nextBytes = numbers[3];
    cursor.nextPublish = numbers[4];
    cursor.subscriptions = numbers[5];
    return cursor;
  }
}
