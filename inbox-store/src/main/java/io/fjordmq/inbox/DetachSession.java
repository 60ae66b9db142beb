package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.List;

/**
 * Detaches an inbox when its connection has ended, after recording the last acknowledgements.
 *
 * @param sentBelow the connection has sent no entry with this or a higher sequence
 * @param upTo all sequences below this one are acknowledged; 0 if there are no new ones
 * @param beyond individual sequences that are also acknowledged
 * @param graceMillis minimum delay of the will
 */
record DetachSession(
    InboxHandle handle,
    long sentBelow,
    long upTo,
    List<Long> beyond,
    long expirySeconds,
    boolean publishWill,
    long graceMillis)
    implements InboxCommand {
  /*
   *   .. handle
   *   v  sentBelow
   *   v  upTo, numbers beyond
   *   v  expirySeconds
   *   1  1 if the will is to be published
   *   v  graceMillis    only KIND_WITH_GRACE
   */
  static final int KIND = 4;

  static final int KIND_WITH_GRACE = 17;

  @Override
  public int kind() {
    return graceMillis == 0 ? KIND : KIND_WITH_GRACE;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    out.writeVarint(sentBelow).writeVarint(upTo);
    FieldCodec.writeNumbers(out, beyond);
    out.writeVarint(expirySeconds).writeByte(publishWill ? 1 : 0);
    if (graceMillis != 0) {
      out.writeVarint(graceMillis);
    }
  }

  static DetachSession read(ByteReader in, boolean withGrace) {
    return new DetachSession(
        FieldCodec.readHandle(in),
        in.readVarint(),
        in.readVarint(),
        FieldCodec.readNumbers(in),
        in.readVarint(),
        in.readByte() != 0,
        withGrace ? in.readVarint() : 0);
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.findOwned(handle);
    if (inbox == null) {
      return Answer.fenced();
    }
    new EntryQueue(tables, inbox).acknowledge(upTo, beyond);
    SessionExpiry.detach(tables, inbox, sentBelow, expirySeconds, publishWill, graceMillis);
    return Answer.done();
  }
}
