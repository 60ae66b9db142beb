package io.fjordmq.broker.query;

import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.query.NodeClients.Counts;
import io.fjordmq.broker.query.PagedMerge.Merged;
import io.fjordmq.broker.query.PagedMerge.Page;
import io.fjordmq.broker.query.QueryException.Kind;
import io.fjordmq.broker.query.QueryNodes.Node;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.inbox.StoredSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists, finds and ends the clients and offline sessions of the cluster. Thread-safe; does not
 * block. Futures complete within seconds.
 */
public final class ClientQueries {
  private static final Logger LOG = LoggerFactory.getLogger(ClientQueries.class);

  /** Maximum number of tenants in which offline sessions are searched if no tenant is given. */
  private static final int MAX_TENANTS = 64;

  /** Number of sessions that are read at the same time. */
  private static final int READS_AT_ONCE = 64;

  private static final PagedMerge.Order<SessionPosition, ClientRow> ORDER =
      new PagedMerge.Order<>(
          ClientRow::position,
          row -> SessionPosition.after(row.id()),
          ClientRow::combine,
          row -> true,
          SessionPosition.END);

  /**
   * The result of a search by identifier.
   *
   * @param clients one for each tenant in which the identifier exists
   * @param problems as in {@link ClientPage}
   */
  public record Search(List<ClientRow> clients, List<String> problems) {}

  /** The outcome of {@link #kick}. */
  public enum KickOutcome {
    /** The client was connected. It was disconnected and its session has ended. */
    DISCONNECTED,
    /** The client was offline. Its session has ended. */
    SESSION_ENDED,
    /** There is neither a connected client nor a session. */
    NOT_FOUND
  }

  /**
   * The result of {@link #kick}.
   *
   * @param problems as in {@link ClientPage}; if a node did not respond, a client connected to it
   *     may not have been found
   */
  public record Kicked(KickOutcome outcome, List<String> problems) {}

  private final QueryNodes nodes;
  private final SessionQueries sessions;
  private final InboxStore inboxes;
  private final InboxRoutes routes;
  private final Executor queryThreads;

  ClientQueries(
      QueryNodes nodes,
      SessionQueries sessions,
      InboxStore inboxes,
      InboxRoutes routes,
      Executor queryThreads) {
    this.nodes = nodes;
    this.sessions = sessions;
    this.inboxes = inboxes;
    this.routes = routes;
    this.queryThreads = queryThreads;
  }

  /**
   * Lists clients in order: connected clients and offline sessions.
   *
   * @param cursor {@link ClientPage#next} of the previous page; empty for the first page
   * @param skip number of matching clients to skip first; the cost is that of reading them
   * @param limit maximum number of clients; &gt; 0
   * @throws QueryException if the cursor is not valid
   */
  public CompletableFuture<ClientPage> list(
      ClientFilter filter, Optional<String> cursor, int skip, int limit) {
    SessionPosition from = cursor.map(Cursors::decode).orElse(SessionPosition.START);
    Problems problems = new Problems();
    BooleanSupplier timeIsUp = QueryNodes.pageTimer();
    return skip(filter, from, skip, problems, timeIsUp)
        .thenCompose(
            start ->
                start.isPresent()
                    ? merge(filter, start.get(), limit, problems, timeIsUp)
                    : CompletableFuture.completedFuture(new Merged<>(List.of(), null, true)))
        .thenCompose(
            merged -> {
              if (!merged.complete()) {
                problems.addPageTimeout();
              }
              return withSessions(filter, merged.rows(), problems)
                  .thenApply(rows -> page(rows, merged.next(), problems));
            });
  }

  private static ClientPage page(
      List<ClientRow> rows, @Nullable SessionPosition next, Problems problems) {
    return new ClientPage(rows, next == null ? null : Cursors.encode(next), problems.list());
  }

  /** Returns the position after a number of clients; empty if there are not more. */
  private CompletableFuture<Optional<SessionPosition>> skip(
      ClientFilter filter,
      SessionPosition from,
      int count,
      Problems problems,
      BooleanSupplier timeIsUp) {
    if (count == 0) {
      return CompletableFuture.completedFuture(Optional.of(from));
    }
    return merge(filter, from, Math.min(count, PagedMerge.MAX_PAGE), problems, timeIsUp)
        .thenCompose(
            merged -> {
              SessionPosition next = merged.next();
              if (!merged.complete()) {
                throw new QueryException(
                    Kind.INVALID, "page: skipping so many clients takes too long; use the cursor");
              }
              return next == null
                  ? CompletableFuture.completedFuture(Optional.empty())
                  : skip(filter, next, count - merged.rows().size(), problems, timeIsUp);
            });
  }

  private CompletableFuture<Merged<SessionPosition, ClientRow>> merge(
      ClientFilter filter,
      SessionPosition from,
      int limit,
      Problems problems,
      BooleanSupplier timeIsUp) {
    List<PagedMerge.Source<SessionPosition, ClientRow>> sources = new ArrayList<>();
    if (!filter.excludesConnected()) {
      for (Node node : nodes.alive()) {
        if (filter.node() == null || filter.node().equals(node.name())) {
          sources.add((position, max) -> connected(node, filter, position, max, problems));
        }
      }
    }
    if (readsAllSessions(filter)) {
      sources.add((position, max) -> stored(filter, position, max, problems));
    }
    PagedMerge.Order<SessionPosition, ClientRow> order =
        new PagedMerge.Order<>(
            ORDER.positionOf(),
            ORDER.after(),
            ORDER.combine(),
            row -> accepts(filter, row, problems),
            ORDER.end());
    return new PagedMerge<>(sources, order, from, limit, timeIsUp, queryThreads)
        .run()
        .thenApply(
            merged ->
                new Merged<>(
                    merged.rows().stream().map(row -> withOwner(row, problems)).toList(),
                    merged.next(),
                    merged.complete()));
  }

  /**
   * Returns whether the list of sessions must be merged. If only connected clients match, those on
   * the page look up their sessions instead, because few of many may match.
   */
  private static boolean readsAllSessions(ClientFilter filter) {
    return !filter.excludesOffline() || !filter.createdAt().equals(ClientFilter.TimeSpan.ALWAYS);
  }

  private static boolean accepts(ClientFilter filter, ClientRow row, Problems problems) {
    StoredSession stored = row.stored();
    boolean connected = row.connected();
    if (!connected && stored != null && stored.owner() != null) {
      // The client is connecting or disconnecting, does not match, or its node did not respond.
      connected = problems.isMissing(stored.owner().node());
      if (!connected && !filter.selectsAll()) {
        return false;
      }
    }
    return !(filter.excludesOffline() && !row.connected())
        && !(filter.excludesConnected() && connected)
        && filter.createdAt().contains(row.createdAtMillis());
  }

  /** Names the node of a client if that node did not respond. */
  private static ClientRow withOwner(ClientRow row, Problems problems) {
    StoredSession stored = row.stored();
    return !row.connected()
            && stored != null
            && stored.owner() != null
            && problems.isMissing(stored.owner().node())
        ? row.connectedTo(stored.owner().node())
        : row;
  }

  private CompletableFuture<Supplier<Page<SessionPosition, ClientRow>>> connected(
      Node node, ClientFilter filter, SessionPosition from, int max, Problems problems) {
    if (problems.isMissing(node.name())) {
      return CompletableFuture.completedFuture(() -> new Page<>(List.of(), SessionPosition.END));
    }
    return nodes
        .read(node.clients().list(from, filter, max))
        .handle(
            (page, failure) -> {
              if (failure != null) {
                problems.addNode(node.name(), failure);
                return () -> new Page<>(List.of(), SessionPosition.END);
              }
              return () ->
                  new Page<>(
                      page.clients().stream()
                          .map(client -> ClientRow.of(node.name(), client))
                          .toList(),
                      page.next());
            });
  }

  private CompletableFuture<Supplier<Page<SessionPosition, ClientRow>>> stored(
      ClientFilter filter, SessionPosition from, int max, Problems problems) {
    return nodes
        .read(sessions.list(from, filter.ofStored(), max))
        .handle(
            (page, failure) -> {
              if (failure != null) {
                SessionPosition end = sessions.endOfRange(from);
                problems.addRange(from, end, failure);
                return () -> new Page<>(List.of(), end);
              }
              return () ->
                  new Page<>(
                      page.sessions().stream()
                          .filter(filter::matchesUserOf)
                          .map(ClientRow::of)
                          .toList(),
                      page.next());
            });
  }

  /** Adds the sessions of connected clients, unless they have been merged. */
  private CompletableFuture<List<ClientRow>> withSessions(
      ClientFilter filter, List<ClientRow> rows, Problems problems) {
    if (readsAllSessions(filter)) {
      return CompletableFuture.completedFuture(rows);
    }
    return withSessions(rows, 0, new ArrayList<>(rows.size()), problems);
  }

  private CompletableFuture<List<ClientRow>> withSessions(
      List<ClientRow> rows, int from, List<ClientRow> done, Problems problems) {
    if (from >= rows.size()) {
      return CompletableFuture.completedFuture(done);
    }
    List<CompletableFuture<ClientRow>> reads =
        rows.subList(from, Math.min(rows.size(), from + READS_AT_ONCE)).stream()
            .map(row -> withSession(row, problems))
            .toList();
    return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
        .thenComposeAsync(
            all -> {
              reads.forEach(read -> done.add(read.join()));
              return withSessions(rows, from + READS_AT_ONCE, done, problems);
            },
            queryThreads);
  }

  private CompletableFuture<ClientRow> withSession(ClientRow row, Problems problems) {
    return row.live() == null || row.isTransient()
        ? CompletableFuture.completedFuture(row)
        : findStored(row.id(), problems).thenApply(found -> row.with(found.orElse(null)));
  }

  private CompletableFuture<Optional<StoredSession>> findStored(InboxId id, Problems problems) {
    return nodes
        .read(sessions.find(id))
        .exceptionally(
            failure -> {
              problems.add("session of client '" + id.clientId() + "'", failure);
              return Optional.empty();
            });
  }

  /**
   * Finds a client or offline session by its identifier.
   *
   * @param tenant null to search all tenants that have had clients since the nodes started
   */
  public CompletableFuture<Search> find(@Nullable String tenant, String clientId) {
    Problems problems = new Problems();
    Map<String, ClientRow> byTenant = new TreeMap<>();
    TreeSet<String> tenants = new TreeSet<>();
    if (tenant != null) {
      tenants.add(tenant);
    }
    return askAll(node -> node.find(tenant, clientId), problems)
        .thenCompose(
            responses -> {
              responses.forEach(
                  (node, found) -> {
                    tenants.addAll(found.tenants());
                    found.clients().stream()
                        .map(client -> ClientRow.of(node, client))
                        .forEach(row -> add(row, byTenant));
                  });
              byTenant.values().stream()
                  .filter(ClientRow::isTransient)
                  .map(ClientRow::tenant)
                  .forEach(tenants::remove); // there is no session to find
              return findStored(tenants, clientId, problems);
            })
        .thenApply(
            stored -> {
              stored.forEach(session -> add(ClientRow.of(session), byTenant));
              List<ClientRow> rows =
                  byTenant.values().stream().map(row -> withOwner(row, problems)).toList();
              return new Search(rows, problems.list());
            });
  }

  private static void add(ClientRow row, Map<String, ClientRow> byTenant) {
    byTenant.merge(row.id().tenant(), row, ClientRow::combine);
  }

  private CompletableFuture<List<StoredSession>> findStored(
      TreeSet<String> tenants, String clientId, Problems problems) {
    if (tenants.size() > MAX_TENANTS) {
      problems.add(
          "offline sessions: there are too many tenants to search; set the parameter " + "tenant");
      return CompletableFuture.completedFuture(List.of());
    }
    List<CompletableFuture<Optional<StoredSession>>> reads =
        tenants.stream()
            .map(tenant -> findStored(new InboxId(tenant, clientId), problems))
            .toList();
    return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all -> reads.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList());
  }

  /** Asks all nodes; returns the responses of those that responded, by node. */
  private <T> CompletableFuture<Map<String, T>> askAll(
      Function<NodeClients, CompletableFuture<T>> call, Problems problems) {
    Map<String, CompletableFuture<T>> calls = new TreeMap<>();
    for (Node node : nodes.alive()) {
      calls.put(
          node.name(), nodes.deadlines().limit(call.apply(node.clients()), QueryNodes.ACT_TIMEOUT));
    }
    return CompletableFuture.allOf(calls.values().toArray(CompletableFuture<?>[]::new))
        .handle(
            (all, someFailure) -> {
              Map<String, T> responses = new TreeMap<>();
              calls.forEach(
                  (node, response) ->
                      response.whenComplete(
                          (value, failure) -> {
                            if (failure == null) {
                              responses.put(node, value);
                            } else {
                              problems.addNode(node, failure);
                            }
                          }));
              return responses;
            });
  }

  /**
   * Disconnects a client with 0x98 (administrative action), on whatever node it is connected to,
   * and ends its session; or ends an offline session. Its subscriptions and queued messages are
   * removed, and a pending will is published.
   */
  public CompletableFuture<Kicked> kick(String tenant, String clientId) {
    InboxId id = new InboxId(tenant, clientId);
    Problems problems = new Problems();
    return askAll(node -> node.kick(id), problems)
        .thenCompose(
            responses ->
                responses.containsValue(true)
                    ? CompletableFuture.completedFuture(KickOutcome.DISCONNECTED)
                    : endOffline(id))
        .exceptionallyCompose(QueryException::ofStore)
        .thenApply(outcome -> new Kicked(outcome, problems.list()));
  }

  private CompletableFuture<KickOutcome> endOffline(InboxId id) {
    return nodes
        .read(sessions.find(id))
        .thenCompose(
            found ->
                found.isEmpty()
                    ? CompletableFuture.completedFuture(KickOutcome.NOT_FOUND)
                    : discard(id));
  }

  private CompletableFuture<KickOutcome> discard(InboxId id) {
    return inboxes
        .discard(id)
        .orTimeout(QueryNodes.ACT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .thenApply(
            result -> {
              removeRoutes(id, result.discarded());
              return KickOutcome.SESSION_ENDED;
            });
  }

  /** Removes the routes of an ended session. Such routes are harmless, so nothing waits. */
  private void removeRoutes(InboxId id, Attachment.@Nullable Discarded discarded) {
    if (discarded == null) {
      return;
    }
    routes
        .removeAll(id, discarded.incarnation(), discarded.subscriptions())
        .exceptionally(
            error -> {
              LOG.debug(
                  "Failed to remove the routes of an ended session; the next matching PUBLISH will"
                      + " remove them session={}",
                  id,
                  error);
              return null;
            });
  }

  /** Counts all connected clients and offline sessions; empty if a node did not respond. */
  public CompletableFuture<Optional<Long>> count() {
    Problems problems = new Problems();
    return askAll(NodeClients::count, problems)
        .thenApply(
            responses ->
                problems.list().isEmpty()
                    ? Optional.of(responses.values().stream().mapToLong(ClientQueries::sum).sum())
                    : Optional.empty());
  }

  private static long sum(Counts counts) {
    return counts.connected() + counts.offline();
  }
}
