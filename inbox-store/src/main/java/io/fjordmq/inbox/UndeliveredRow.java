package io.fjordmq.inbox;

import io.fjordmq.api.Qos;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/**
 * Records that the entries of an incarnation have outlived their session, because some may go to
 * other members of shares.
 *
 * @param sentBelow entries with a lower sequence may have been sent to the client
 * @param from no entry with a lower sequence remains; scans start at this sequence to avoid
 *     tombstones
 */
record UndeliveredRow(InboxId id, long sentBelow, long from) {
  /*
   *   1  version 1
   *   s  tenant
   *   s  client id
   *   v  sentBelow
   *   v  from
   */
  private static final int VERSION = 1;

  byte[] encode() {
    return new ByteWriter(48)
        .writeByte(VERSION)
        .writeString(id.tenant())
        .writeString(id.clientId())
        .writeVarint(sentBelow)
        .writeVarint(from)
        .toByteArray();
  }

  static UndeliveredRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    NewerFormatException.require("undelivered messages", VERSION, in.readByte());
    return new UndeliveredRow(
        new InboxId(in.readString(), in.readString()), in.readVarint(), in.readVarint());
  }

  UndeliveredRow startingAt(long sequence) {
    return new UndeliveredRow(id, sentBelow, sequence);
  }

  /**
   * Returns true if an entry may go to another member of its share. An entry that may have been
   * sent to the client with QoS 2 must not go to another client (MQTT-4.8.2-5).
   */
  boolean mayRedistribute(long sequence, EntryRow entry) {
    return entry.share() != null && (entry.qos() != Qos.EXACTLY_ONCE || sequence >= sentBelow);
  }
}
