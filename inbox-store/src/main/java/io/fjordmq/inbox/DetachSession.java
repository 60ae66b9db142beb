package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.List;

/**
 * Gives an inbox back when its connection has ended, after what it acknowledged last.
 *
 * @param sentBelow the connection has sent no entry from this sequence on
 * @param upTo every sequence below is acknowledged; 0 if there is nothing to say
 * @param beyond single sequences that are acknowledged too
 * @param graceMillis the will is not due earlier
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
   *   v  graceMillis    of the kind that has one
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
