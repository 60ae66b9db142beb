package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/** Confirms that a due will has been published. */
record ConfirmWill(InboxId id, long incarnation, long epoch) implements InboxCommand {
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
  public byte[] apply(InboxTables tables) {
    // The due row remains; when it is processed, it finds no will and has no effect.
    tables.rows().delete(InboxKeys.will(InboxKeys.bucket(id), incarnation, epoch));
    return Answer.done();
  }
}
