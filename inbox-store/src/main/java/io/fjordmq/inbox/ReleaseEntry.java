package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** Records the PUBREC for a QoS 2 message. */
record ReleaseEntry(InboxHandle handle, long sequence) implements InboxCommand {
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
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.findOwned(handle);
    if (inbox == null) {
      return Answer.fenced();
    }
    new EntryQueue(tables, inbox).release(sequence);
    return Answer.done();
  }
}
