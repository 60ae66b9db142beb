package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** Ends a session that no connection acts for. Answers {@link Discarding}. */
record DiscardSession(InboxId id) implements InboxCommand {
  /*
   *   .. id
   */
  static final int KIND = 5;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    Fields.writeId(out, id);
  }

  static DiscardSession read(ByteReader in) {
    return new DiscardSession(Fields.readId(in));
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.find(id);
    if (inbox == null || SessionLife.settle(tables, inbox)) {
      return AttachmentCodec.encodeDiscarding(new Discarding(tables.claim(), null));
    }
    SessionLife.takeOver(tables, inbox, true);
    long incarnation = inbox.incarnation();
    return AttachmentCodec.encodeDiscarding(
        new Discarding(
            tables.claim(), new Attachment.Discarded(incarnation, tables.remove(inbox))));
  }
}
