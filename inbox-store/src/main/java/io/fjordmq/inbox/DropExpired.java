package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.List;

/** Drops entries that a fetch found expired, if they still exist. */
public record DropExpired(InboxHandle handle, List<Long> sequences) implements InboxCommand {
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
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.findOwned(handle);
    if (inbox == null) {
      return ResponseCodec.fenced();
    }
    new EntryQueue(inboxes, inbox).dropExpired(sequences);
    return ResponseCodec.done();
  }
}
