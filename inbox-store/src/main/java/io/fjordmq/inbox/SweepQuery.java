package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.List;

/** Asks a range when something is due in it, and which processes own inboxes there. */
record SweepQuery() implements InboxQuery {
  static final int KIND = 2;

  /**
   * What it answers.
   *
   * @param earliestDueMillis nothing is due before; {@link InboxState#NEVER} if nothing at all
   * @param counting whether {@link CountInboxes} is of use
   */
  record Findings(long earliestDueMillis, boolean counting, List<Owner> owners) {}

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    // Nothing to say: the key it is routed by names the range.
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
