package io.fjordmq.inbox;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists the subscriptions of the sessions of a range, in the order of the sessions and, within a
 * session, of the UTF-8 encodings of the filters. The list may end early, even without a
 * subscription, because the work of a query is bounded.
 *
 * @param from must be in the range
 * @param fromFilter of the session at {@code from}, only filters from this one on are listed; empty
 *     for all
 * @param to sessions from this position on are not listed
 * @param tenant null for all tenants
 * @param nowMillis sessions that have expired at this time are omitted
 * @param maxSubscriptions maximum number of subscriptions; &gt; 0
 */
public record ListSubscriptions(
    SessionPosition from,
    String fromFilter,
    SessionPosition to,
    @Nullable String tenant,
    long nowMillis,
    int maxSubscriptions)
    implements InboxQuery {
  /*
   *   .. position from
   *   s  fromFilter
   *   .. position to
   *   1  1 if there is a tenant | s tenant
   *   v  nowMillis, v maxSubscriptions
   */
  static final int KIND = 6;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    from.write(out);
    out.writeString(fromFilter);
    to.write(out);
    out.writeByte(tenant == null ? 0 : 1);
    if (tenant != null) {
      out.writeString(tenant);
    }
    out.writeVarint(nowMillis).writeVarint(maxSubscriptions);
  }

  static ListSubscriptions read(ByteReader in) {
    return new ListSubscriptions(
        SessionPosition.read(in),
        in.readString(),
        SessionPosition.read(in),
        in.readByte() == 0 ? null : in.readString(),
        in.readVarint(),
        in.readInt());
  }

  @Override
  public byte[] execute(KvReader rows, InboxMemory memory) {
    PageBuilder page = new PageBuilder(rows);
    SessionScan scan = new SessionScan(rows, memory.contents(), to, tenant, null, page::addAll);
    return page.encode(scan.run(from));
  }

  /** Builds the response. */
  private final class PageBuilder {
    /*
     *   .. position where the next page starts; END if nothing is left
     *   s  filter of the session at this position where the next page starts
     *   v  number of subscriptions
     *   .. id, s node or empty if offline, s filter, b options    for each
     */
    private final KvReader rows;
    private final ByteWriter found = new ByteWriter(1_024);
    private int count;
    private String nextFilter = "";

    PageBuilder(KvReader rows) {
      this.rows = rows;
    }

    /** Adds the subscriptions of a session; returns false if some remain. */
    boolean addAll(InboxState state) {
      if (!StoredSession.isSession(state, nowMillis)) {
        return true;
      }
      InboxId id = state.handle().id();
      long incarnation = state.handle().incarnation();
      boolean first = SessionPosition.of(id).equals(from);
      boolean[] complete = {true};
      rows.scan(
          InboxKeys.subscription(id.bucket(), incarnation, first ? fromFilter : ""),
          InboxKeys.kindStart(id.bucket(), incarnation, InboxKeys.SUBSCRIPTION + 1),
          (key, value) -> {
            int prefix = InboxKeys.kindStart(0, 0, 0).length;
            String filter = new String(key, prefix, key.length - prefix, StandardCharsets.UTF_8);
            complete[0] = count < maxSubscriptions && found.length() < ListSessions.MAX_BYTES;
            if (complete[0]) {
              add(state, filter, value);
            } else {
              nextFilter = filter;
            }
            return complete[0];
          });
      return complete[0];
    }

    private void add(InboxState state, String filter, byte[] options) {
      count++;
      Owner owner = state.owner();
      FieldCodec.writeId(found, state.handle().id());
      found.writeString(owner == null ? "" : owner.node()).writeString(filter).writeBlock(options);
    }

    byte[] encode(SessionPosition next) {
      ByteWriter out = new ByteWriter(found.length() + 64);
      next.write(out);
      return out.writeString(nextFilter)
          .writeVarint(count)
          .writeBytes(found.toByteArray())
          .toByteArray();
    }
  }

  public static SessionQueries.SubscriptionPage decodeResponse(byte[] response) {
    ByteReader in = new ByteReader(response);
    SessionPosition next = SessionPosition.read(in);
    String nextFilter = in.readString();
    int count = in.readCount(6);
    List<SessionQueries.StoredSubscription> found = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      InboxId id = FieldCodec.readId(in);
      String node = in.readString();
      TopicFilter filter = TopicFilter.parse(in.readString());
      found.add(
          new SessionQueries.StoredSubscription(
              id, node, new InboxSubscription(filter, SubscriptionRow.decode(in.readBlock()))));
    }
    in.requireEnd();
    return new SessionQueries.SubscriptionPage(found, next, nextFilter);
  }
}
