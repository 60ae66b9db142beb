package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/**
 * Continues {@linkplain InboxMemory#countSome counting} the contents of inboxes in replicas that
 * were opened before. Changes no stored state and answers nothing.
 *
 * @param maxInboxes maximum number of inboxes to count
 */
record CountInboxes(int maxInboxes) implements InboxCommand {
  /*
   *   v  maxInboxes
   */
  static final int KIND = 14;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeVarint(maxInboxes);
  }

  static CountInboxes read(ByteReader in) {
    return new CountInboxes(in.readInt());
  }

  @Override
  public byte[] apply(InboxTables tables) {
    tables.countSome(maxInboxes);
    return Answer.done();
  }
}
