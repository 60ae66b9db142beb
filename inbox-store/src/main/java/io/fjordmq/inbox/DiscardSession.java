package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/** Ends a session without attaching its inbox. The response is a {@link DiscardResult}. */
public record DiscardSession(InboxId id) implements InboxCommand {
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
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.find(id);
    if (inbox == null || SessionExpiry.applyDue(inboxes, inbox)) {
      return AttachmentCodec.encodeDiscard(new DiscardResult(inboxes.connectOrder(), null));
    }
    SessionExpiry.takeOver(inboxes, inbox, true);
    long incarnation = inbox.incarnation();
    return AttachmentCodec.encodeDiscard(
        new DiscardResult(
            inboxes.connectOrder(), new Attachment.Discarded(incarnation, inboxes.remove(inbox))));
  }
}
