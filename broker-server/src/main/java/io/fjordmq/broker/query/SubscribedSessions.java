package io.fjordmq.broker.query;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.query.PagedMerge.Page;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of persistent sessions to one topic filter. This node's routes name the
 * sessions, and the inbox store has their subscriptions, so the cost does not depend on other
 * subscriptions. A route without a subscription is skipped: the subscription has just been removed,
 * or its session has ended. Used for one list; one page is read at a time.
 */
final class SubscribedSessions {
  /** Number of subscriptions that are read at the same time. */
  private static final int READS_AT_ONCE = 64;

  private final RouteTable routes;
  private final QueryNodes nodes;
  private final SessionQueries sessions;
  private final Executor queryThreads;
  private final @Nullable String tenant;
  private final TopicFilter filter;
  private final Problems problems;

  /** The ends of the ranges that did not respond. */
  private final Set<SessionPosition> missingRanges = ConcurrentHashMap.newKeySet();

  /**
   * @param tenant null for all tenants
   */
  SubscribedSessions(
      RouteTable routes,
      QueryNodes nodes,
      SessionQueries sessions,
      Executor queryThreads,
      @Nullable String tenant,
      TopicFilter filter,
      Problems problems) {
    this.routes = routes;
    this.nodes = nodes;
    this.sessions = sessions;
    this.queryThreads = queryThreads;
    this.tenant = tenant;
    this.filter = filter;
    this.problems = problems;
  }

  /** A {@link PagedMerge.Source}. */
  CompletableFuture<Supplier<Page<SubscriptionPosition, ClientSubscription>>> fetch(
      SubscriptionPosition from, int max) {
    FirstSubscriptions<Receiver> first = new FirstSubscriptions<>(filter.text(), from, max);
    for (Route route : routes.routesOf(tenant, filter)) {
      if (route.receiver() instanceof Receiver.Inbox inbox) {
        first.add(new InboxId(route.tenant(), inbox.clientId()), inbox);
      }
    }
    List<InboxId> ids = new ArrayList<>();
    first.forEach((id, inbox) -> ids.add(id));
    return readAll(from.session(), ids, 0, new ArrayList<>(ids.size()))
        .thenApply(found -> () -> new Page<>(found, first.next()));
  }

  private CompletableFuture<List<ClientSubscription>> readAll(
      SessionPosition from, List<InboxId> ids, int start, List<ClientSubscription> found) {
    if (start >= ids.size()) {
      return CompletableFuture.completedFuture(found);
    }
    int end = Math.min(ids.size(), start + READS_AT_ONCE);
    List<CompletableFuture<Optional<ClientSubscription>>> reads =
        ids.subList(start, end).stream().map(id -> read(from, id)).toList();
    return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
        .thenComposeAsync(
            all -> {
              reads.forEach(read -> read.join().ifPresent(found::add));
              return readAll(from, ids, end, found);
            },
            queryThreads);
  }

  private CompletableFuture<Optional<ClientSubscription>> read(SessionPosition from, InboxId id) {
    SessionPosition at = SessionPosition.of(id);
    if (!missingRanges.isEmpty() && missingRanges.contains(sessions.endOfRange(at))) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return nodes
        .read(sessions.listSubscriptions(at, filter.text(), SessionPosition.after(id), null, 1))
        .handle(
            (page, failure) -> {
              if (failure != null) {
                addMissingRange(from, at, failure);
                return Optional.empty();
              }
              return page.subscriptions().stream()
                  .filter(stored -> stored.subscription().filter().equals(filter))
                  .map(ClientSubscription::of)
                  .findFirst();
            });
  }

  /** Records that the range of a session did not respond. */
  private void addMissingRange(SessionPosition from, SessionPosition at, Throwable failure) {
    SessionPosition start = from;
    SessionPosition end = sessions.endOfRange(start);
    while (end.compareTo(at) <= 0) {
      start = end;
      end = sessions.endOfRange(start);
    }
    missingRanges.add(end);
    problems.addRange(start, end, failure);
  }
}
