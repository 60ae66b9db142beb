package io.fjordmq.inbox.client;

import io.fjordmq.inbox.DescribeSession;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxQuery;
import io.fjordmq.inbox.ListSessions;
import io.fjordmq.inbox.ListSubscriptions;
import io.fjordmq.inbox.PeekEntries;
import io.fjordmq.inbox.SessionFilter;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.inbox.StoredSession;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends the queries of {@link SessionQueries} to the ranges of the inbox store. */
public final class RangeSessionQueries implements SessionQueries {
  private final RangeClient client;
  private final InstantSource clock;

  /**
   * @param client client for the store {@code InboxReplicas.STORE}
   * @param clock wall clock, for expiry
   */
  public RangeSessionQueries(RangeClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<SessionPage> list(
      SessionPosition from, SessionFilter filter, int maxSessions) {
    return query(
        from.key(),
        new ListSessions(from, filter, clock.millis(), maxSessions),
        ListSessions::decodeResponse);
  }

  @Override
  public SessionPosition endOfRange(SessionPosition position) {
    byte[] key = position.key();
    for (KeyInterval range : client.locate(KeyInterval.ALL)) {
      byte[] end = range.end();
      if (range.contains(key) && end != null) {
        return SessionPosition.startOfBucket(end);
      }
    }
    return SessionPosition.END;
  }

  @Override
  public CompletableFuture<Optional<StoredSession>> find(InboxId id) {
    return query(
        id.routingKey(), new DescribeSession(id, clock.millis()), DescribeSession::decodeResponse);
  }

  @Override
  public CompletableFuture<SubscriptionPage> listSubscriptions(
      SessionPosition from,
      String fromFilter,
      SessionPosition to,
      @Nullable String tenant,
      int maxSubscriptions) {
    return query(
        from.key(),
        new ListSubscriptions(from, fromFilter, to, tenant, clock.millis(), maxSubscriptions),
        ListSubscriptions::decodeResponse);
  }

  @Override
  public CompletableFuture<Optional<EntryPage>> peek(
      InboxId id, long fromSequence, int maxEntries, int maxPayloadBytes) {
    return query(
        id.routingKey(),
        new PeekEntries(id, fromSequence, maxEntries, maxPayloadBytes, clock.millis()),
        PeekEntries::decodeResponse);
  }

  private <T> CompletableFuture<T> query(byte[] key, InboxQuery query, Function<byte[], T> decode) {
    return FutureUnwrapper.map(client.query(key, query.encode()), decode);
  }
}
