package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/**
 * How far an inbox has come. Written when something is acknowledged, dropped or subscribed; an
 * append does not write it, because {@link #next} and {@link #nextBytes} follow from the last entry
 * that is there.
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

  /** Everything below is acknowledged or dropped; itself it is not, unless it equals next. */
  long committed = 1;

  /** What all entries below {@link #committed} have weighed since the inbox was made. */
  long committedBytes;

  /** The sequence the next entry gets. */
  long next = 1;

  /** What all entries have weighed since the inbox was made. */
  long nextBytes;

  /** The sequence the next QoS 2 publish of the client gets. */
  long nextPublish = 1;

  long subscriptions;

  boolean hasReleased;

  /** An entry came through a share, be it there or not. */
  boolean hasShared;

  /** Done ones above {@link #committed}. */
  final SequenceRuns done;

  InboxCursor() {
    this(new SequenceRuns());
  }

  private InboxCursor(SequenceRuns done) {
    this.done = done;
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
    done.write(out);
    return out.toByteArray();
  }

  static InboxCursor decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    int version = in.readByte();
    if (version != VERSION_WITHOUT_SHARES) {
      Versions.require(version, VERSION, "inbox cursor");
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
