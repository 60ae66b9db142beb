package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/** Records a QoS 2 publish of the client. */
public record RecordReceived(InboxHandle handle, int packetIdentifier, long publishSequence)
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
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.findOwned(handle);
    if (inbox == null) {
      return ResponseCodec.fenced();
    }
    inboxes
        .rows()
        .put(
            InboxKeys.received(inbox.bucket, inbox.incarnation(), packetIdentifier),
            encodeRow(publishSequence));
    if (publishSequence >= inbox.cursor.nextPublish) {
      inbox.cursor.nextPublish = publishSequence + 1;
      inboxes.saveCursor(inbox);
    }
    return ResponseCodec.done();
  }

  static byte[] encodeRow(long publishSequence) {
    return new ByteWriter(16).writeByte(ROW_VERSION).writeVarint(publishSequence).toByteArray();
  }

  static long decodeRow(byte[] row) {
    ByteReader in = new ByteReader(row);
    NewerFormatException.require("received publish", ROW_VERSION, in.readByte());
    return in.readVarint();
  }
}
