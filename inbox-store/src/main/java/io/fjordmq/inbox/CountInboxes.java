package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/**
 * Has replicas that opened a while ago go on {@linkplain InboxMemory#countSome counting} what is in
 * their inboxes. Changes nothing that is stored, answers nothing.
 *
 * @param maxInboxes to count
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
