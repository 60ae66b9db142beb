package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** Records the PUBREL for a QoS 2 publish of the client. */
record ForgetReceived(InboxHandle handle, int packetIdentifier) implements InboxCommand {
  /*
   *   .. handle
   *   2  packet identifier
   */
  static final int KIND = 9;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    out.writeShort(packetIdentifier);
  }

  static ForgetReceived read(ByteReader in) {
    return new ForgetReceived(FieldCodec.readHandle(in), in.readShort());
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.findOwned(handle);
    if (inbox == null) {
      return Answer.fenced();
    }
    tables.rows().delete(InboxKeys.received(inbox.bucket, inbox.incarnation(), packetIdentifier));
    return Answer.done();
  }
}
