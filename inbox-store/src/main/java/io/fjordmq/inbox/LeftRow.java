package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.Qos;

/**
 * Records that the entries of an incarnation have outlived their session, because some may go to
 * other members of shares.
 *
 * @param sentBelow entries with a lower sequence may have been sent to the client
 * @param from no entry with a lower sequence is left; scans start here to avoid tombstones
 */
record LeftRow(InboxId id, long sentBelow, long from) {
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

  static LeftRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    Versions.require(in.readByte(), VERSION, "left messages");
    return new LeftRow(
        new InboxId(in.readString(), in.readString()), in.readVarint(), in.readVarint());
  }

  LeftRow startingAt(long sequence) {
    return new LeftRow(id, sentBelow, sequence);
  }

  /**
   * Returns true if an entry may go to another member of its share. An entry that may have been
   * sent to the client with QoS 2 must not go to another client (MQTT-4.8.2-5).
   */
  boolean isForOthers(long sequence, EntryRow entry) {
    return entry.share() != null && (entry.qos() != Qos.EXACTLY_ONCE || sequence >= sentBelow);
  }
}
