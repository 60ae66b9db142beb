package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * Detaches an inbox on behalf of a node whose attach has an unknown outcome. No connection has the
 * handle, so no other detach follows. The effect is the same as losing a connection now. The
 * command must be sent after the attach that it abandons, and never after a later attach by the
 * same node.
 */
public record AbandonAttach(InboxId id, Owner owner) implements InboxCommand {
  /*
   *   .. id, owner
   */
  static final int KIND = 15;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    FieldCodec.writeOwner(out, owner);
  }

  static AbandonAttach read(ByteReader in) {
    return new AbandonAttach(FieldCodec.readId(in), FieldCodec.readOwner(in));
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.find(id);
    if (inbox != null && owner.equals(inbox.state().owner())) {
      InboxState state = inbox.state();
      // sentBelow is unchanged: nothing was sent to a client that was not connected.
      SessionExpiry.detach(inboxes, inbox, state.sentBelow(), state.expirySeconds(), true, 0, 0);
    }
    return ResponseCodec.done();
  }
}
