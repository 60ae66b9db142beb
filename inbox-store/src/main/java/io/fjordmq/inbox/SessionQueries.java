package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads persistent sessions for operators, without side effects. Each call reads from the leader of
 * one range and sees all changes that were acknowledged before. Thread-safe; no method blocks.
 * Futures complete on a thread of the store, which must not be blocked, and fail with {@link
 * io.fjordmq.range.RangeException}.
 */
public interface SessionQueries {

  /**
   * Lists sessions in order, from a position. The work per call is bounded, so a page may have
   * fewer sessions than requested, or none, although more follow.
   *
   * @param from not {@link SessionPosition#END}
   * @param maxSessions &gt; 0
   */
  CompletableFuture<SessionPage> list(SessionPosition from, SessionFilter filter, int maxSessions);

  /**
   * A page of sessions.
   *
   * @param next where the next page starts; {@link SessionPosition#END} if this is the last one
   */
  record SessionPage(List<StoredSession> sessions, SessionPosition next) {}

  /**
   * Returns where the range of a position ends, as far as this node knows; {@link
   * SessionPosition#END} for the last range. A caller can continue there if the range is
   * unavailable. Local and cheap.
   */
  SessionPosition endOfRange(SessionPosition position);

  /** Reads one session; empty if it does not exist. */
  CompletableFuture<Optional<StoredSession>> find(InboxId id);

  /**
   * Lists the subscriptions of all sessions, in the order of the sessions and then of the filters.
   * The work per call is bounded, as for {@link #list}.
   *
   * @param from not {@link SessionPosition#END}
   * @param fromFilter of the session at {@code from}, only filters from this one on are listed, in
   *     the order of their UTF-8 encodings; empty for all
   * @param to sessions from this position on are not listed
   * @param tenant null for all tenants
   * @param maxSubscriptions &gt; 0
   */
  CompletableFuture<SubscriptionPage> listSubscriptions(
      SessionPosition from,
      String fromFilter,
      SessionPosition to,
      @Nullable String tenant,
      int maxSubscriptions);

  /**
   * A page of subscriptions.
   *
   * @param next where the next page starts; {@link SessionPosition#END} if this is the last one
   * @param nextFilter the filter of the session at {@code next} where the next page starts
   */
  record SubscriptionPage(
      List<StoredSubscription> subscriptions, SessionPosition next, String nextFilter) {}

  /**
   * A subscription of a persistent session.
   *
   * @param node the node that the client is connected to; empty while it is offline
   */
  record StoredSubscription(InboxId id, String node, InboxSubscription subscription) {}

  /**
   * Reads queued messages of a session in order; empty if the session does not exist.
   *
   * @param fromSequence sequence of the first message to read; 0 for the beginning
   * @param maxEntries &gt; 0
   * @param maxPayloadBytes number of bytes to which payloads are shortened
   */
  CompletableFuture<Optional<EntryPage>> peek(
      InboxId id, long fromSequence, int maxEntries, int maxPayloadBytes);

  /**
   * A page of queued messages.
   *
   * @param next sequence where the next page starts; 0 if this is the last page
   */
  record EntryPage(List<PeekedEntry> entries, long next) {}

  /**
   * A queued message.
   *
   * @param message the message, whose payload may be shortened
   * @param qos QoS of the delivery
   * @param retain RETAIN flag of the delivery
   * @param payloadBytes size of the whole payload
   */
  record PeekedEntry(long sequence, Message message, Qos qos, boolean retain, int payloadBytes) {}
}
