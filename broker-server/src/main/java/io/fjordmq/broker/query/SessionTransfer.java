package io.fjordmq.broker.query;

import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.SessionFilter;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.inbox.StoredSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Exports persistent sessions with their subscriptions, and creates sessions that another cluster
 * has exported. Thread-safe; does not block.
 */
public final class SessionTransfer {
  /** A page ends with the session that reaches this number of subscriptions. */
  private static final int SUBSCRIPTIONS_PER_PAGE = 10_000;

  /** Subscriptions of a session that are created at the same time. */
  private static final int SUBSCRIPTIONS_AT_ONCE = 32;

  private final ClientQueries clients;
  private final SessionQueries sessions;
  private final InboxStore inboxes;
  private final InboxRoutes routes;
  private final Membership membership;

  SessionTransfer(
      ClientQueries clients,
      SessionQueries sessions,
      InboxStore inboxes,
      InboxRoutes routes,
      Membership membership) {
    this.clients = clients;
    this.sessions = sessions;
    this.inboxes = inboxes;
    this.routes = routes;
    this.membership = membership;
  }

  /**
   * A page of sessions.
   *
   * @param next the cursor for the next page; null if this is the last page
   */
  public record Page(List<TransferredSession> sessions, @Nullable String next) {}

  /**
   * Reads sessions in order.
   *
   * @param tenant null for all tenants
   * @param cursor {@link Page#next} of the previous page; empty for the first page
   * @param limit maximum number of sessions; &gt; 0
   * @return fails with {@link QueryException} if a range is unavailable
   * @throws QueryException if the cursor is not valid
   */
  public CompletableFuture<Page> export(
      @Nullable String tenant, Optional<String> cursor, int limit) {
    SessionPosition from = cursor.map(Cursors::decode).orElse(SessionPosition.START);
    if (from.equals(SessionPosition.END)) {
      return CompletableFuture.completedFuture(new Page(List.of(), null));
    }
    return QueryNodes.inTime(sessions.list(from, SessionFilter.ofTenant(tenant), limit))
        .thenCompose(page -> addSubscriptions(page.sessions(), page.next(), 0, new ArrayList<>()))
        .exceptionallyCompose(QueryException::ofStore);
  }

  private CompletableFuture<Page> addSubscriptions(
      List<StoredSession> found, SessionPosition next, long read, List<TransferredSession> done) {
    if (done.size() == found.size() || read >= SUBSCRIPTIONS_PER_PAGE) {
      SessionPosition end =
          done.size() == found.size()
              ? next
              : SessionPosition.after(found.get(done.size() - 1).id());
      String following = end.equals(SessionPosition.END) ? null : Cursors.encode(end);
      return CompletableFuture.completedFuture(new Page(done, following));
    }
    StoredSession session = found.get(done.size());
    SessionPosition from = SessionPosition.of(session.id());
    return subscriptions(session.id(), from, "", new ArrayList<>())
        .thenCompose(
            subscriptions -> {
              done.add(TransferredSession.of(session, subscriptions));
              return addSubscriptions(found, next, read + subscriptions.size(), done);
            });
  }

  private CompletableFuture<List<InboxSubscription>> subscriptions(
      InboxId id, SessionPosition from, String fromFilter, List<InboxSubscription> found) {
    SessionPosition end = SessionPosition.after(id);
    return QueryNodes.inTime(
            sessions.listSubscriptions(from, fromFilter, end, null, PagedMerge.MAX_PAGE))
        .thenCompose(
            page -> {
              page.subscriptions().forEach(each -> found.add(each.subscription()));
              return page.next().compareTo(end) >= 0
                  ? CompletableFuture.completedFuture(found)
                  : subscriptions(id, page.next(), page.nextFilter(), found);
            });
  }

  /**
   * Creates an offline session, unless the client is connected or has a session. Its expiry begins
   * now. If it fails, no session remains; the caller can repeat it.
   *
   * @param session its expiry is 1 or more; its creation and number of messages are ignored
   * @return completes with false if there is a client or session; fails with {@link QueryException}
   *     if a node or range is unavailable
   */
  public CompletableFuture<Boolean> create(TransferredSession session) {
    return clients
        .find(session.tenant(), session.clientId())
        .thenCompose(
            search -> {
              if (!search.problems().isEmpty()) {
                throw new QueryException(
                    QueryException.Kind.UNAVAILABLE, String.join("; ", search.problems()));
              }
              return search.clients().isEmpty()
                  ? attach(session)
                  : CompletableFuture.completedFuture(false);
            })
        .exceptionallyCompose(QueryException::ofStore);
  }

  private CompletableFuture<Boolean> attach(TransferredSession session) {
    InboxId id = session.id();
    long expirySeconds = session.expirySeconds();
    AttachRequest request =
        new AttachRequest(
            false,
            membership.self().value(),
            membership.incarnation(),
            expirySeconds,
            null,
            null,
            session.sessionUser());
    return QueryNodes.inTime(inboxes.attach(id, request))
        .thenCompose(
            attachment -> {
              if (attachment.sessionPresent()) { // the client has connected meanwhile
                return inboxes
                    .detachWithGrace(attachment.handle(), attachment.sentBelow(), expirySeconds)
                    .thenApply(detached -> false);
              }
              return subscribe(id, attachment, session.inboxSubscriptions(), 0)
                  .thenCompose(
                      subscribed ->
                          inboxes.detach(
                              attachment.handle(), attachment.sentBelow(), expirySeconds, false))
                  .thenApply(detached -> true)
                  .exceptionallyCompose(failure -> discard(id, failure));
            });
  }

  private CompletableFuture<Void> subscribe(
      InboxId id, Attachment attachment, List<InboxSubscription> subscriptions, int from) {
    if (from == subscriptions.size()) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(subscriptions.size(), from + SUBSCRIPTIONS_AT_ONCE);
    long incarnation = attachment.handle().incarnation();
    return CompletableFuture.allOf(
            subscriptions.subList(from, to).stream()
                .map(
                    each ->
                        inboxes
                            .subscribe(attachment.handle(), each.filter(), each.options())
                            .thenCompose(added -> routes.add(id, incarnation, each)))
                .toArray(CompletableFuture<?>[]::new))
        .thenCompose(added -> subscribe(id, attachment, subscriptions, to));
  }

  /** Ends a session that could not be created completely. */
  private CompletableFuture<Boolean> discard(InboxId id, Throwable failure) {
    return inboxes
        .discard(id)
        .handle((discarded, ignored) -> failure)
        .thenCompose(CompletableFuture::failedFuture);
  }
}
