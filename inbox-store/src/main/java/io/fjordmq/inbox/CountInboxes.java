package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * Continues {@linkplain InboxMemory#countNext counting} the contents of the inboxes that existed
 * when the replica was opened. Changes no stored state; the response is empty.
 *
 * @param maxInboxes maximum number of inboxes to count
 */
public record CountInboxes(int maxInboxes) implements InboxCommand {
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
  public byte[] apply(InboxRows inboxes) {
    inboxes.countNext(maxInboxes);
    return ResponseCodec.done();
  }
}
