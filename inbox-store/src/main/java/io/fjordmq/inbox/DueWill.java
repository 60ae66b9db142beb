package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MessageCodec;
import java.nio.ByteBuffer;

/**
 * A will that is due. It outlives its session, and stays until it is known to be published.
 *
 * @param will encoded
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record DueWill(InboxId id, byte[] will) {
  /*
   *   1  version 1
   *   s  tenant
   *   s  client id
   *   .. will
   */
  private static final int VERSION = 1;

  byte[] encode() {
    return new ByteWriter(64 + will.length)
        .writeByte(VERSION)
        .writeString(id.tenant())
        .writeString(id.clientId())
        .writeBytes(will)
        .toByteArray();
  }

  static DueWill decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    Versions.require(in.readByte(), VERSION, "due will");
    return new DueWill(new InboxId(in.readString(), in.readString()), in.readBytes(in.remaining()));
  }

  /**
   * @param lowest epoch of the oldest will of the session that is due
   */
  InboxEffect.WillDue toEffect(long incarnation, long epoch, long lowest) {
    return new InboxEffect.WillDue(
        id, incarnation, epoch, lowest, MessageCodec.decodeWill(ByteBuffer.wrap(will)));
  }
}
