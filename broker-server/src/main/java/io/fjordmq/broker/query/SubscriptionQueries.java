package io.fjordmq.broker.query;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.query.NodeSubscriptions.Subscriptions;
import io.fjordmq.broker.query.PagedMerge.Page;
import io.fjordmq.broker.query.QueryException.Kind;
import io.fjordmq.broker.query.QueryNodes.Node;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists and changes the subscriptions of the cluster's clients. Thread-safe; does not block.
 * Futures complete within seconds.
 */
public final class SubscriptionQueries {
  /** Subscriptions of one client that are read at most. */
  private static final int MAX_OF_CLIENT = 100_000;

  /**
   * A page of subscriptions.
   *
   * @param next the cursor for the next page; null if this is the last page
   * @param problems what is missing and why; empty if the page is complete
   */
  public record Found(
      List<ClientSubscription> subscriptions, @Nullable String next, List<String> problems) {}

  private final QueryNodes nodes;
  private final SessionQueries sessions;
  private final RouteTable routes;
  private final Executor queryThreads;

  /**
   * @param routes the routes that this node knows
   */
  SubscriptionQueries(
      QueryNodes nodes, SessionQueries sessions, RouteTable routes, Executor queryThreads) {
    this.nodes = nodes;
    this.sessions = sessions;
    this.routes = routes;
    this.queryThreads = queryThreads;
  }

  /**
   * Lists the subscriptions of all clients and offline sessions, in the order of the clients. If
   * the filter names a topic filter, the cost does not depend on subscriptions to other ones.
   *
   * @param cursor {@link Found#next} of the previous page; empty for the first page
   * @param limit maximum number of subscriptions; &gt; 0
   * @throws QueryException if the cursor is not valid
   */
  public CompletableFuture<Found> list(
      SubscriptionFilter filter, Optional<String> cursor, int limit) {
    SubscriptionPosition from =
        cursor.map(Cursors::decodeSubscription).orElse(SubscriptionPosition.START);
    Problems problems = new Problems();
    List<PagedMerge.Source<SubscriptionPosition, ClientSubscription>> sources =
        filter.topic() == null
            ? sourcesOfAll(filter, problems)
            : filter
                .onlyTopic()
                .map(topic -> sourcesOfTopic(filter, topic, problems))
                .orElse(List.of());
    PagedMerge.Order<SubscriptionPosition, ClientSubscription> order =
        new PagedMerge.Order<>(
            ClientSubscription::position,
            row -> SubscriptionPosition.after(row.id(), row.filter().text()),
            (live, stored) -> live,
            filter::matches,
            SubscriptionPosition.END);
    return new PagedMerge<>(sources, order, from, limit, QueryNodes.pageTimer(), queryThreads)
        .run()
        .thenApply(
            merged -> {
              if (!merged.complete()) {
                problems.addPageTimeout();
              }
              SubscriptionPosition next = merged.next();
              return new Found(
                  merged.rows(), next == null ? null : Cursors.encode(next), problems.list());
            });
  }

  private List<PagedMerge.Source<SubscriptionPosition, ClientSubscription>> sourcesOfAll(
      SubscriptionFilter filter, Problems problems) {
    List<PagedMerge.Source<SubscriptionPosition, ClientSubscription>> sources = new ArrayList<>();
    if (filter.durable() == null || !filter.durable()) {
      for (Node node : nodes.alive()) {
        if (filter.node() == null || filter.node().equals(node.name())) {
          sources.add(
              (at, max) ->
                  ofNode(
                      node,
                      () -> node.subscriptions().listTransient(at, filter.tenant(), max),
                      problems));
        }
      }
    }
    if (filter.durable() == null || filter.durable()) {
      sources.add((at, max) -> stored(filter.tenant(), at, max, problems));
    }
    return sources;
  }

  /** Returns only the nodes and sessions that have subscriptions to a topic filter. */
  private List<PagedMerge.Source<SubscriptionPosition, ClientSubscription>> sourcesOfTopic(
      SubscriptionFilter filter, TopicFilter topic, Problems problems) {
    List<PagedMerge.Source<SubscriptionPosition, ClientSubscription>> sources = new ArrayList<>();
    String tenant = filter.tenant();
    if (filter.durable() == null || !filter.durable()) {
      Set<String> subscribed = nodesWithSubscribers(tenant, topic);
      for (Node node : nodes.alive()) {
        if (subscribed.contains(node.name())
            && (filter.node() == null || filter.node().equals(node.name()))) {
          sources.add(
              (at, max) ->
                  ofNode(
                      node,
                      () -> node.subscriptions().listSubscribers(at, tenant, topic, max),
                      problems));
        }
      }
    }
    if (filter.durable() == null || filter.durable()) {
      sources.add(
          new SubscribedSessions(routes, nodes, sessions, queryThreads, tenant, topic, problems)
              ::fetch);
    }
    return sources;
  }

  private Set<String> nodesWithSubscribers(@Nullable String tenant, TopicFilter topic) {
    Set<String> found = new HashSet<>();
    for (Route route : routes.routesOf(tenant, topic)) {
      if (route.receiver() instanceof Receiver.Live live) {
        found.add(live.node());
      }
    }
    return found;
  }

  private CompletableFuture<Supplier<Page<SubscriptionPosition, ClientSubscription>>> ofNode(
      Node node, Supplier<CompletableFuture<Subscriptions>> list, Problems problems) {
    if (problems.isMissing(node.name())) {
      return CompletableFuture.completedFuture(
          () -> new Page<>(List.of(), SubscriptionPosition.END));
    }
    return nodes
        .read(list.get())
        .handle(
            (page, failure) -> {
              if (failure != null) {
                problems.addNode(node.name(), failure);
                return () -> new Page<>(List.of(), SubscriptionPosition.END);
              }
              return () ->
                  new Page<>(
                      page.entries().stream()
                          .map(
                              entry ->
                                  new ClientSubscription(
                                      entry.id(),
                                      node.name(),
                                      entry.subscription().filter(),
                                      entry.subscription().options(),
                                      false))
                          .toList(),
                      page.next());
            });
  }

  private CompletableFuture<Supplier<Page<SubscriptionPosition, ClientSubscription>>> stored(
      @Nullable String tenant, SubscriptionPosition from, int max, Problems problems) {
    return nodes
        .read(
            sessions.listSubscriptions(
                from.session(), from.filter(), SessionPosition.END, tenant, max))
        .handle(
            (page, failure) -> {
              if (failure != null) {
                SessionPosition end = sessions.endOfRange(from.session());
                problems.addRange(from.session(), end, failure);
                return () -> new Page<>(List.of(), new SubscriptionPosition(end, ""));
              }
              return () ->
                  new Page<>(
                      page.subscriptions().stream().map(ClientSubscription::of).toList(),
                      new SubscriptionPosition(page.next(), page.nextFilter()));
            });
  }

  /**
   * Returns all subscriptions of a client or offline session, in the order of the filters.
   *
   * @return fails with {@link QueryException} if the node or range is unavailable
   */
  public CompletableFuture<List<ClientSubscription>> ofClient(ClientRow client) {
    LiveClient live = client.live();
    String node = client.node();
    if (live == null || node == null || live.attributes().persistent()) {
      return ofStored(SubscriptionPosition.of(client.id(), ""), client.id(), new ArrayList<>())
          .exceptionallyCompose(QueryException::ofStore);
    }
    return onNode(
        node,
        found ->
            nodes
                .read(found.subscriptions().ofClient(client.id()))
                .thenApply(
                    subscriptions ->
                        subscriptions.orElse(List.of()).stream()
                            .map(
                                each ->
                                    new ClientSubscription(
                                        client.id(), node, each.filter(), each.options(), false))
                            .toList()));
  }

  private CompletableFuture<List<ClientSubscription>> ofStored(
      SubscriptionPosition from, InboxId id, List<ClientSubscription> found) {
    SessionPosition end = SessionPosition.after(id);
    return nodes
        .read(
            sessions.listSubscriptions(
                from.session(), from.filter(), end, null, PagedMerge.MAX_PAGE))
        .thenCompose(
            page -> {
              page.subscriptions().stream().map(ClientSubscription::of).forEach(found::add);
              return page.next().compareTo(end) >= 0 || found.size() >= MAX_OF_CLIENT
                  ? CompletableFuture.completedFuture(found)
                  : ofStored(new SubscriptionPosition(page.next(), page.nextFilter()), id, found);
            });
  }

  private <T> CompletableFuture<T> onNode(String name, Function<Node, CompletableFuture<T>> call) {
    for (Node node : nodes.alive()) {
      if (node.name().equals(name)) {
        return call.apply(node)
            .exceptionallyCompose(failure -> QueryException.ofNode(name, failure));
      }
    }
    return CompletableFuture.failedFuture(
        new QueryException(Kind.UNAVAILABLE, "node " + name + " is down"));
  }

  /**
   * Subscribes a connected client on behalf of an operator: without authorization, but within the
   * limits of its tenant. The client gets retained messages as after a SUBSCRIBE.
   *
   * @return completes with the granted QoS, a reason code of 0x80 or higher, or -1 if the client is
   *     not connected
   */
  public CompletableFuture<Integer> subscribe(
      ClientRow client, TopicFilter filter, SubscriptionOptions options) {
    return change(client, node -> node.subscriptions().subscribe(client.id(), filter, options));
  }

  /**
   * Removes a subscription of a connected client on behalf of an operator.
   *
   * @return completes with 0, with 0x11 if there is no such subscription, with a reason code of
   *     0x80 or higher, or with -1 if the client is not connected
   */
  public CompletableFuture<Integer> unsubscribe(ClientRow client, TopicFilter filter) {
    return change(client, node -> node.subscriptions().unsubscribe(client.id(), filter));
  }

  private CompletableFuture<Integer> change(
      ClientRow client, Function<Node, CompletableFuture<Integer>> change) {
    String node = client.node();
    return node == null
        ? CompletableFuture.completedFuture(NodeSubscriptions.NOT_CONNECTED)
        : onNode(
            node,
            found ->
                change
                    .apply(found)
                    .orTimeout(QueryNodes.ACT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
  }
}
