package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists the sessions of a range in order, from a position. The list may end early, even without a
 * session, because the work of a query is bounded.
 *
 * @param from must be in the range
 * @param nowMillis sessions that have expired at this time are omitted
 * @param maxSessions maximum number of sessions; &gt; 0
 */
public record ListSessions(
    SessionPosition from, SessionFilter filter, long nowMillis, int maxSessions)
    implements InboxQuery {
  /*
   *   .. position from
   *   .. filter
   *   v  nowMillis, v maxSessions
   */
  static final int KIND = 4;

  /** Size at which the response ends, in bytes. */
  static final int MAX_BYTES = 1 << 20;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    from.write(out);
    filter.write(out);
    out.writeVarint(nowMillis).writeVarint(maxSessions);
  }

  static ListSessions read(ByteReader in) {
    return new ListSessions(
        SessionPosition.read(in), SessionFilter.read(in), in.readVarint(), in.readInt());
  }

  @Override
  public byte[] execute(KvReader rows, InboxMemory memory) {
    /*
     *   .. position where the next page starts; END if nothing is left
     *   v  number of sessions
     *   .. each session
     */
    ByteWriter sessions = new ByteWriter(1_024);
    int[] found = new int[1];
    SessionScan scan =
        new SessionScan(
            rows,
            memory.contents(),
            SessionPosition.END,
            filter.tenant(),
            filter.userName(),
            state -> {
              if (!StoredSession.isSession(state, nowMillis) || !filter.matches(state)) {
                return true;
              }
              if (found[0] >= maxSessions || sessions.length() >= MAX_BYTES) {
                return false;
              }
              found[0]++;
              StoredSession.load(rows, state).write(sessions);
              return true;
            });
    ByteWriter out = new ByteWriter(sessions.length() + 64);
    scan.run(from).write(out);
    return out.writeVarint(found[0]).writeBytes(sessions.toByteArray()).toByteArray();
  }

  public static SessionQueries.SessionPage decodeResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    SessionPosition next = SessionPosition.read(in);
    int count = in.readCount(20);
    List<StoredSession> sessions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      sessions.add(StoredSession.read(in));
    }
    in.requireEnd();
    return new SessionQueries.SessionPage(sessions, next);
  }
}
