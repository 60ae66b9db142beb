package io.fjordmq.retain;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.retain.RetainStore.PutOutcome;

/**
 * Retains a message. The response is a byte, the ordinal of the {@link PutOutcome}.
 *
 * @param onlyReplace whether to reject the message unless its topic already has one, because the
 *     store is full
 * @param maxGrowth maximum number of bytes by which the row may grow, or the message is rejected;
 *     {@link #UNLIMITED} for no limit
 * @param message the encoded message
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record PutMessage(
    byte[] key,
    long expiresAtMillis,
    boolean onlyReplace,
    long maxGrowth,
    RetainPublisher retainPublisher,
    byte[] message)
    implements RetainCommand {
  /*
   *   1  flags   bit 0 onlyReplace, 1 growth is limited
   *   v  expiresAtMillis
   *   v  maxGrowth    if it is limited
   *   .. publisher    not in version 1
   *   b  key
   *   .. message
   */
  static final int KIND = 1;

  public static final long UNLIMITED = Long.MAX_VALUE;
  private static final int ONLY_REPLACE = 1;
  private static final int GROWTH_LIMITED = 1 << 1;

  /** Encoded responses by ordinal. */
  private static final byte[][] RESPONSES = {{0}, {1}, {2}, {3}, {4}};

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public int expectedBytes() {
    return 34 + RetainPublisher.MAX_BYTES + key.length + message.length;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeByte((onlyReplace ? ONLY_REPLACE : 0) | (maxGrowth == UNLIMITED ? 0 : GROWTH_LIMITED))
        .writeVarint(expiresAtMillis);
    if (maxGrowth != UNLIMITED) {
      out.writeVarint(maxGrowth);
    }
    retainPublisher.write(out);
    out.writeBlock(key).writeBytes(message);
  }

  static PutMessage read(ByteReader in, boolean hasPublisher) {
    int flags = in.readByte();
    long expiresAtMillis = in.readVarint();
    long maxGrowth = (flags & GROWTH_LIMITED) == 0 ? UNLIMITED : in.readVarint();
    RetainPublisher publisher = hasPublisher ? RetainPublisher.read(in) : RetainPublisher.NONE;
    byte[] key = in.readBlock();
    boolean onlyReplace = (flags & ONLY_REPLACE) != 0;
    byte[] message = in.readBytes(in.remaining());
    return new PutMessage(key, expiresAtMillis, onlyReplace, maxGrowth, publisher, message);
  }

  @Override
  public byte[] apply(RetainRows rows) {
    return response(put(rows));
  }

  private PutOutcome put(RetainRows rows) {
    byte[] found = rows.find(key);
    RetainRow.Head head = found == null ? null : RetainRow.headOf(found);
    if (head != null && head.retainPublisher().isAfter(retainPublisher)) {
      return PutOutcome.SUPERSEDED;
    }
    byte[] before = head == null || head.isClearMarker() ? null : found;
    if (before == null && onlyReplace) {
      return PutOutcome.REFUSED_FULL;
    }
    byte[] row = new RetainRow(expiresAtMillis, retainPublisher, message).encode();
    long growth = (long) row.length - (before == null ? 0 : before.length);
    if (growth > 0 && growth > maxGrowth) {
      return PutOutcome.REFUSED_BYTES;
    }
    rows.putMessage(key, row, head, growth);
    return PutOutcome.RETAINED;
  }

  /** Returns the response of a command that changes one topic. */
  static byte[] response(PutOutcome outcome) {
    return RESPONSES[outcome.ordinal()];
  }

  public static PutOutcome decodeResponse(byte[] response) {
    return PutOutcome.values()[response[0]];
  }
}
