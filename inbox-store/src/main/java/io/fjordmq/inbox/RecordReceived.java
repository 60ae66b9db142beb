package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** Records a QoS 2 publish of the client. */
record RecordReceived(InboxHandle handle, int packetIdentifier, long publishSequence)
    implements InboxCommand {
  /*
   *   .. handle
   *   2  packet identifier
   *   v  publish sequence
   *
   * Row:
   *
   *   1  version 1
   *   v  publish sequence
   */
  private static final int ROW_VERSION = 1;

  static final int KIND = 8;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    out.writeShort(packetIdentifier).writeVarint(publishSequence);
  }

  static RecordReceived read(ByteReader in) {
    return new RecordReceived(FieldCodec.readHandle(in), in.readShort(), in.readVarint());
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.findOwned(handle);
    if (inbox == null) {
      return Answer.fenced();
    }
    tables
        .rows()
        .put(
            InboxKeys.received(inbox.bucket, inbox.incarnation(), packetIdentifier),
            encodeRow(publishSequence));
    if (publishSequence >= inbox.cursor.nextPublish) {
      inbox.cursor.nextPublish = publishSequence + 1;
      tables.saveCursor(inbox);
    }
    return Answer.done();
  }

  static byte[] encodeRow(long publishSequence) {
    return new ByteWriter(16).writeByte(ROW_VERSION).writeVarint(publishSequence).toByteArray();
  }

  static long decodeRow(byte[] row) {
    ByteReader in = new ByteReader(row);
    Versions.require(in.readByte(), ROW_VERSION, "received publish");
    return in.readVarint();
  }
}
