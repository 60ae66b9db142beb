package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The row of a stored entry.
 *
 * @param qos QoS of the delivery
 * @param retain RETAIN flag of the delivery
 * @param subscriptionIdentifiers identifiers of the matching subscriptions
 * @param share as in {@link InboxTarget#share}
 * @param bytesBefore total size of all earlier entries of the inbox
 * @param message the encoded message, a view of the row; its length is the size of the entry
 */
record EntryRow(
    Qos qos,
    boolean retain,
    List<Integer> subscriptionIdentifiers,
    @Nullable String share,
    long bytesBefore,
    ByteBuffer message) {
  /*
   *   1  version 1; 2 if it came through a share
   *   1  flags   bits 0-1 QoS, 2 RETAIN, 3 has subscription identifiers
   *   v  bytesBefore
   *   v  count, v each subscription identifier    if it has any
   *   s  share                                     in version 2
   *   .. message
   */
  private static final int VERSION = 2;
  private static final int VERSION_WITHOUT_SHARE = 1;
  private static final int QOS = 0b11;
  private static final int RETAIN = 1 << 2;
  private static final int HAS_IDENTIFIERS = 1 << 3;

  static byte[] encode(InboxTarget target, long bytesBefore, ByteBuffer message) {
    List<Integer> identifiers = target.subscriptionIdentifiers();
    String share = target.share();
    ByteWriter out =
        new ByteWriter(
            2
                + ByteWriter.varintBytes(bytesBefore)
                + (identifiers.isEmpty() ? 0 : identifierBytes(identifiers))
                + (share == null ? 0 : ByteWriter.stringBytes(share))
                + message.remaining());
    out.writeByte(share == null ? VERSION_WITHOUT_SHARE : VERSION)
        .writeByte(
            target.qos().level()
                | (target.retain() ? RETAIN : 0)
                | (identifiers.isEmpty() ? 0 : HAS_IDENTIFIERS))
        .writeVarint(bytesBefore);
    if (!identifiers.isEmpty()) {
      writeIdentifiers(identifiers, out);
    }
    if (share != null) {
      out.writeString(share);
    }
    return out.writeBytes(message).toByteArray();
  }

  /** Returns the number of bytes that {@link #writeIdentifiers} writes. */
  static int identifierBytes(List<Integer> identifiers) {
    int bytes = ByteWriter.varintBytes(identifiers.size());
    for (int identifier : identifiers) {
      bytes += ByteWriter.varintBytes(identifier);
    }
    return bytes;
  }

  static void writeIdentifiers(List<Integer> identifiers, ByteWriter out) {
    out.writeVarint(identifiers.size());
    for (int identifier : identifiers) {
      out.writeVarint(identifier);
    }
  }

  static List<Integer> readIdentifiers(ByteReader in) {
    int count = in.readCount(1);
    List<Integer> identifiers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      identifiers.add(in.readInt());
    }
    return identifiers;
  }

  static EntryRow decode(byte[] row) {
    return decode(ByteBuffer.wrap(row));
  }

  /** Decodes a row without copying the message. Advances the position to the message. */
  static EntryRow decode(ByteBuffer row) {
    ByteReader in = new ByteReader(row);
    int version = in.readByte();
    if (version != VERSION_WITHOUT_SHARE) {
      NewerFormatException.require("inbox entry", VERSION, version);
    }
    int flags = in.readByte();
    long bytesBefore = in.readVarint();
    List<Integer> identifiers = (flags & HAS_IDENTIFIERS) == 0 ? List.of() : readIdentifiers(in);
    return new EntryRow(
        Qos.of(flags & QOS),
        (flags & RETAIN) != 0,
        identifiers,
        version == VERSION_WITHOUT_SHARE ? null : in.readString(),
        bytesBefore,
        row);
  }

  /** Returns the size of the entry. */
  int bytes() {
    return message.remaining();
  }

  boolean isExpiredAt(long nowMillis) {
    return MessageCodec.expiresAtMillis(message.duplicate()) <= nowMillis;
  }

  InboxEntry toEntry(long sequence) {
    Message decoded = MessageCodec.decode(message.duplicate());
    return new InboxEntry(sequence, decoded, qos, retain, subscriptionIdentifiers);
  }
}
