package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.List;

/** Reads the earliest due time of a range and the owners of its inboxes. */
public record SweepQuery() implements InboxQuery {
  static final int KIND = 2;

  /**
   * The decoded response.
   *
   * @param earliestDueMillis nothing is due before this time; {@link InboxState#NEVER} if nothing
   *     ever is
   * @param counting true if {@link CountInboxes} has inboxes to count
   */
  public record Result(long earliestDueMillis, boolean counting, List<Owner> owners) {}

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    // Nothing to write: the routing key identifies the range.
  }

  @Override
  public byte[] execute(KvReader rows, InboxMemory memory) {
    /*
     *   v  earliestDueMillis
     *   1  1 if inboxes remain to be counted
     *   .. owner    until the end
     */
    ByteWriter out = new ByteWriter(64);
    out.writeVarint(memory.dueTimes().earliest()).writeByte(memory.isCounting() ? 1 : 0);
    for (Owner owner : memory.totals().owners()) {
      FieldCodec.writeOwner(out, owner);
    }
    return out.toByteArray();
  }

  public static Result decodeResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    long earliestDue = in.readVarint();
    boolean counting = in.readByte() != 0;
    List<Owner> owners = new ArrayList<>();
    while (in.remaining() > 0) {
      owners.add(FieldCodec.readOwner(in));
    }
    return new Result(earliestDue, counting, owners);
  }
}
