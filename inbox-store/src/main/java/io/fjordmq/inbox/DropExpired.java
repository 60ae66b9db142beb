package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import java.util.List;

/** Drops entries that a fetch found expired, if they still exist. */
record DropExpired(InboxHandle handle, List<Long> sequences) implements InboxCommand {
  /*
   *   .. handle
   *   .. numbers sequences
   */
  static final int KIND = 10;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    FieldCodec.writeNumbers(out, sequences);
  }

  static DropExpired read(ByteReader in) {
    return new DropExpired(FieldCodec.readHandle(in), FieldCodec.readNumbers(in));
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.findOwned(handle);
    if (inbox == null) {
      return Answer.fenced();
    }
    new EntryQueue(tables, inbox).dropExpired(sequences);
    return Answer.done();
  }
}
