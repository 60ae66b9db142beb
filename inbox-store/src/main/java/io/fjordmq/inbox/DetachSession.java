package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.List;

/**
 * Detaches an inbox when its connection has ended, after recording the last acknowledgements.
 *
 * <p>With {@code closesInMillis}, the node has ended the connection but closes it later, because
 * the cluster has marked the node DOWN. Session expiry, will delay and grace period then begin when
 * the connection closes. This also applies if another node has already detached the inbox, because
 * this node has rejoined and still serves the client.
 *
 * @param sentBelow the connection has sent no entry with this or a higher sequence
 * @param upTo all sequences below this one are acknowledged; 0 if there are no new ones
 * @param beyond individual sequences that are also acknowledged
 * @param graceMillis minimum delay of the will
 * @param closesInMillis delay until the connection closes; {@link #CLOSED} if it is already closed
 */
public record DetachSession(
    InboxHandle handle,
    long sentBelow,
    long upTo,
    List<Long> beyond,
    long expirySeconds,
    boolean publishWill,
    long graceMillis,
    long closesInMillis)
    implements InboxCommand {
  /*
   *   .. handle
   *   v  sentBelow
   *   v  upTo, numbers beyond
   *   v  expirySeconds
   *   1  1 if the will is to be published
   *   v  graceMillis      only KIND_WITH_GRACE and KIND_BEFORE_CLOSE
   *   v  closesInMillis   only KIND_BEFORE_CLOSE
   */
  static final int KIND = 4;

  static final int KIND_WITH_GRACE = 17;

  static final int KIND_BEFORE_CLOSE = 21;

  public static final long CLOSED = -1;

  @Override
  public int kind() {
    if (closesInMillis != CLOSED) {
      return KIND_BEFORE_CLOSE;
    }
    return graceMillis == 0 ? KIND : KIND_WITH_GRACE;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    out.writeVarint(sentBelow).writeVarint(upTo);
    FieldCodec.writeNumbers(out, beyond);
    out.writeVarint(expirySeconds).writeByte(publishWill ? 1 : 0);
    if (kind() != KIND) {
      out.writeVarint(graceMillis);
    }
    if (kind() == KIND_BEFORE_CLOSE) {
      out.writeVarint(closesInMillis);
    }
  }

  static DetachSession read(ByteReader in, int kind) {
    return new DetachSession(
        FieldCodec.readHandle(in),
        in.readVarint(),
        in.readVarint(),
        FieldCodec.readNumbers(in),
        in.readVarint(),
        in.readByte() != 0,
        kind == KIND ? 0 : in.readVarint(),
        kind == KIND_BEFORE_CLOSE ? in.readVarint() : CLOSED);
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.findOwned(handle);
    long closesIn = Math.max(closesInMillis, 0);
    if (inbox != null) {
      new EntryQueue(inboxes, inbox).acknowledge(upTo, beyond);
      SessionExpiry.detach(
          inboxes, inbox, sentBelow, expirySeconds, publishWill, graceMillis, closesIn);
      return ResponseCodec.done();
    }
    if (closesInMillis != CLOSED) {
      inbox = inboxes.find(handle.id());
      if (inbox != null && inbox.handle().equals(handle)) {
        SessionExpiry.defer(inboxes, inbox, graceMillis, closesIn);
        return ResponseCodec.done();
      }
    }
    return ResponseCodec.fenced();
  }
}
