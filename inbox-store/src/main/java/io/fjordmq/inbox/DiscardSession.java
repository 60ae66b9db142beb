package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** Ends a session without attaching its inbox. Answers a {@link DiscardResult}. */
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
    FieldCodec.writeId(out, id);
  }

  static DiscardSession read(ByteReader in) {
    return new DiscardSession(FieldCodec.readId(in));
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.find(id);
    if (inbox == null || SessionExpiry.settle(tables, inbox)) {
      return AttachmentCodec.encodeDiscard(new DiscardResult(tables.connectOrder(), null));
    }
    SessionExpiry.takeOver(tables, inbox, true);
    long incarnation = inbox.incarnation();
    return AttachmentCodec.encodeDiscard(
        new DiscardResult(
            tables.connectOrder(), new Attachment.Discarded(incarnation, tables.remove(inbox))));
  }
}
