package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;

/**
 * A will that is due. It is independent of its session and is kept until its publication is
 * confirmed.
 *
 * @param connectOrder connect order of the will: lower than that of any later connection of the
 *     client
 * @param will the encoded will
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
record DueWillRow(InboxId id, ConnectOrder connectOrder, byte[] will) {
  /*
   *   1  version 2
   *   s  tenant
   *   s  client id
   *   v  epoch version, v index of the connect order; not in version 1
   *   .. will
   */
  private static final int VERSION = 2;

  byte[] encode() {
    return new ByteWriter(64 + will.length)
        .writeByte(VERSION)
        .writeString(id.tenant())
        .writeString(id.clientId())
        .writeVarint(connectOrder.epochVersion())
        .writeVarint(connectOrder.index())
        .writeBytes(will)
        .toByteArray();
  }

  static DueWillRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    int version = in.readByte();
    if (version != 1) {
      NewerFormatException.require("due will", VERSION, version);
    }
    InboxId id = new InboxId(in.readString(), in.readString());
    ConnectOrder since =
        version == 1 ? ConnectOrder.NONE : new ConnectOrder(in.readVarint(), in.readVarint());
    return new DueWillRow(id, since, in.readBytes(in.remaining()));
  }

  /**
   * Returns the effect that announces this will.
   *
   * @param lowestEpoch epoch of the session's oldest due will
   */
  InboxEffect.WillDue toEffect(long incarnation, long epoch, long lowestEpoch) {
    return new InboxEffect.WillDue(
        id,
        incarnation,
        epoch,
        lowestEpoch,
        connectOrder,
        MessageCodec.decodeWill(ByteBuffer.wrap(will)));
  }
}
