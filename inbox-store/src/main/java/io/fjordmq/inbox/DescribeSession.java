package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.util.Optional;

/**
 * Reads one session.
 *
 * @param nowMillis a session that has expired at this time does not exist
 */
public record DescribeSession(InboxId id, long nowMillis) implements InboxQuery {
  /*
   *   .. id
   *   v  nowMillis
   */
  static final int KIND = 5;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    out.writeVarint(nowMillis);
  }

  static DescribeSession read(ByteReader in) {
    return new DescribeSession(FieldCodec.readId(in), in.readVarint());
  }

  @Override
  public byte[] execute(KvReader rows, InboxMemory memory) {
    /*
     *   1  1 if the session exists
     *   .. session    if it exists
     */
    ByteWriter out = new ByteWriter(128);
    byte[] row = rows.get(InboxKeys.state(id.bucket(), id));
    InboxState state = row == null ? null : InboxState.decode(id, row);
    if (state == null || !StoredSession.isSession(state, nowMillis)) {
      return out.writeByte(0).toByteArray();
    }
    StoredSession.load(rows, state).write(out.writeByte(1));
    return out.toByteArray();
  }

  public static Optional<StoredSession> decodeResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    return in.readByte() == 0 ? Optional.empty() : Optional.of(StoredSession.read(in));
  }
}
