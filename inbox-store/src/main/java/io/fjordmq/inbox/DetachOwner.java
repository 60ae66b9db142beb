package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Detaches inboxes of a dead owner, as if their connections had been lost now, except that wills
 * wait for a grace period so that clients can reconnect. The response is the key where the next
 * command continues; empty at the end of the range.
 *
 * @param from start key, from the response to the previous command; empty for the first one
 * @param maxInboxes maximum number of inboxes to examine
 * @param graceMillis minimum delay of the wills
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record DetachOwner(Owner owner, byte[] from, int maxInboxes, long graceMillis)
    implements InboxCommand {
  /*
   *   .. owner
   *   b  from
   *   v  maxInboxes
   *   v  graceMillis    only KIND_WITH_GRACE
   */
  static final int KIND = 13;

  static final int KIND_WITH_GRACE = 16;

  @Override
  public int kind() {
    return graceMillis == 0 ? KIND : KIND_WITH_GRACE;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeOwner(out, owner);
    out.writeBlock(from).writeVarint(maxInboxes);
    if (graceMillis != 0) {
      out.writeVarint(graceMillis);
    }
  }

  static DetachOwner read(ByteReader in, boolean withGrace) {
    Owner owner = FieldCodec.readOwner(in);
    byte[] from = in.readBlock();
    return new DetachOwner(owner, from, in.readInt(), withGrace ? in.readVarint() : 0);
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    List<InboxId> orphans = new ArrayList<>();
    byte[][] next = {new byte[0]};
    int[] remaining = {maxInboxes};
    InboxScan.visit(
        inboxes.rows(),
        from,
        null,
        (key, value) -> {
          if (remaining[0]-- == 0) {
            next[0] = key;
            return false;
          }
          InboxId id = InboxKeys.idOfState(key);
          if (owner.equals(InboxState.decode(id, value).owner())) {
            orphans.add(id);
          }
          return true;
        });
    for (InboxId id : orphans) {
      Inbox inbox = inboxes.find(id);
      if (inbox != null) {
        long expirySeconds = inbox.state().expirySeconds();
        SessionExpiry.detach(
            inboxes, inbox, inbox.sentBelow(), expirySeconds, true, graceMillis, 0);
      }
    }
    return next[0];
  }
}
