package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Detaches inboxes of a process that is no more, as if their connections had broken now. Answers
 * where to go on; empty at the end of the range.
 *
 * @param from where to begin, as the one before answered; empty at first
 * @param maxInboxes to look at
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record DetachOwner(Owner owner, byte[] from, int maxInboxes) implements InboxCommand {
  /*
   *   .. owner
   *   b  from
   *   v  maxInboxes
   */
  static final int KIND = 13;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    Fields.writeOwner(out, owner);
    out.writeBlock(from).writeVarint(maxInboxes);
  }

  static DetachOwner read(ByteReader in) {
    return new DetachOwner(Fields.readOwner(in), in.readBlock(), in.readInt());
  }

  @Override
  public byte[] apply(InboxTables tables) {
    List<InboxId> orphans = new ArrayList<>();
    byte[][] next = {new byte[0]};
    int[] left = {maxInboxes};
    InboxScan.visit(
        tables.rows(),
        from,
        null,
        (key, value) -> {
          if (left[0]-- == 0) {
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
      Inbox inbox = tables.find(id);
      if (inbox != null) {
        SessionLife.detach(tables, inbox, inbox.sentBelow(), inbox.state().expirySeconds(), true);
      }
    }
    return next[0];
  }
}
