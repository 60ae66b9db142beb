package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.List;

/** Asks a range for its earliest due time and for the owners of its inboxes. */
record SweepQuery() implements InboxQuery {
  static final int KIND = 2;

  /**
   * The decoded answer.
   *
   * @param earliestDueMillis nothing is due before this time; {@link InboxState#NEVER} if nothing
   *     ever is
   * @param counting true if {@link CountInboxes} has inboxes to count
   */
  record Findings(long earliestDueMillis, boolean counting, List<Owner> owners) {}

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    // Nothing to write: the routing key identifies the range.
  }

  @Override
  public byte[] answer(KvReader rows, InboxMemory memory) {
    /*
     *   v  earliestDueMillis
     *   1  1 if inboxes are left to count
     *   .. owner    until the end
     */
    ByteWriter out = new ByteWriter(64);
    out.writeVarint(memory.dueTimes().earliest()).writeByte(memory.isCounting() ? 1 : 0);
    for (Owner owner : memory.totals().owners()) {
      FieldCodec.writeOwner(out, owner);
    }
    return out.toByteArray();
  }

  static Findings decodeAnswer(byte[] answer) {
    ByteReader in = new ByteReader(answer);
    long earliestDue = in.readVarint();
    boolean counting = in.readByte() != 0;
    List<Owner> owners = new ArrayList<>();
    while (in.remaining() > 0) {
      owners.add(FieldCodec.readOwner(in));
    }
    return new Findings(earliestDue, counting, owners);
  }
}
