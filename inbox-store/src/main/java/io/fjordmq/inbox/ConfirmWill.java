package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/** Confirms that a due will has been published. */
public record ConfirmWill(InboxId id, long incarnation, long epoch) implements InboxCommand {
  /*
   *   .. id
   *   8  incarnation
   *   v  epoch
   */
  static final int KIND = 11;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    out.writeLong(incarnation).writeVarint(epoch);
  }

  static ConfirmWill read(ByteReader in) {
    return new ConfirmWill(FieldCodec.readId(in), in.readLong(), in.readVarint());
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    // The due row remains. By the time it is processed the will is gone, so it has no effect.
    inboxes.rows().delete(InboxKeys.will(id.bucket(), incarnation, epoch));
    return ResponseCodec.done();
  }
}
