package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/**
 * Detaches an inbox for a process that does not know whether it attached it: nobody was told the
 * handle, so no connection will ever give it back. It is as if that connection had broken now. To
 * be sent behind the attach, and never behind a later one of the same process.
 */
record AbandonAttach(InboxId id, Owner owner) implements InboxCommand {
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
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.find(id);
    if (inbox != null && owner.equals(inbox.state().owner())) {
      InboxState state = inbox.state();
      // Nothing was sent to a client that was not let in.
      SessionExpiry.detach(tables, inbox, state.sentBelow(), state.expirySeconds(), true, 0);
    }
    return Answer.done();
  }
}
