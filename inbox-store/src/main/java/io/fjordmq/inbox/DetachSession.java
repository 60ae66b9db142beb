package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** Gives an inbox back when its connection has ended. */
record DetachSession(InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill)
    implements InboxCommand {
  /*
   *   .. handle
   *   v  sentBelow, v expirySeconds
   *   1  1 if the will is to be published
   */
  static final int KIND = 4;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    Fields.writeHandle(out, handle);
    out.writeVarint(sentBelow).writeVarint(expirySeconds).writeByte(publishWill ? 1 : 0);
  }

  static DetachSession read(ByteReader in) {
    return new DetachSession(
        Fields.readHandle(in), in.readVarint(), in.readVarint(), in.readByte() != 0);
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.findOwned(handle);
    if (inbox == null) {
      return Answer.fenced();
    }
    SessionLife.detach(tables, inbox, sentBelow, expirySeconds, publishWill);
    return Answer.done();
  }
}
