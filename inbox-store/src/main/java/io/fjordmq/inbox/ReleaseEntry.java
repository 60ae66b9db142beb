package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/** Records the PUBREC for a QoS 2 message. */
public record ReleaseEntry(InboxHandle handle, long sequence) implements InboxCommand {
  /*
   *   .. handle
   *   v  sequence
   */
  static final int KIND = 7;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    out.writeVarint(sequence);
  }

  static ReleaseEntry read(ByteReader in) {
    return new ReleaseEntry(FieldCodec.readHandle(in), in.readVarint());
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.findOwned(handle);
    if (inbox == null) {
      return ResponseCodec.fenced();
    }
    new EntryQueue(inboxes, inbox).release(sequence);
    return ResponseCodec.done();
  }
}
