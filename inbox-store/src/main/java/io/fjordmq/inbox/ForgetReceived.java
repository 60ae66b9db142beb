package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/** Records the PUBREL for a QoS 2 publish of the client. */
public record ForgetReceived(InboxHandle handle, int packetIdentifier) implements InboxCommand {
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
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.findOwned(handle);
    if (inbox == null) {
      return ResponseCodec.fenced();
    }
    inboxes.rows().delete(InboxKeys.received(inbox.bucket, inbox.incarnation(), packetIdentifier));
    return ResponseCodec.done();
  }
}
