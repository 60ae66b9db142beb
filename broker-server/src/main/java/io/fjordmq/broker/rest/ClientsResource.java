package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.ClientFilter;
import io.fjordmq.broker.query.ClientFilter.TimeSpan;
import io.fjordmq.broker.query.ClientPage;
import io.fjordmq.broker.query.ClientQueries;
import io.fjordmq.broker.query.ClientQueries.KickOutcome;
import io.fjordmq.broker.query.ClientQueries.Search;
import io.fjordmq.broker.query.ClientRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Clients and offline sessions of the whole cluster. */
public final class ClientsResource implements Resource {
  private static final String TAG = "Clients";
  private static final int MAX_KICKED = 1_000;

  /** Client identifiers that one request may name. */
  private static final int MAX_NAMED = 100;

  /** Identifiers that are searched at the same time; each may be searched in many tenants. */
  private static final int SEARCHED_AT_ONCE = 10;

  private final ClientQueries clients;
  private final ClientLookup lookup;
  private final NodeLookup nodes;

  ClientsResource(ClientQueries clients, NodeLookup nodes) {
    this.clients = clients;
    this.lookup = new ClientLookup(clients);
    this.nodes = nodes;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), show(), kick(), kickMany());
  }

  private Operation list() {
    return Operation.get("/clients")
        .id("listClients")
        .tag(TAG)
        .summary("List clients and offline sessions")
        .description(
            "Sorted by a hash of tenant and client identifier. The cost of a page depends only "
                + "on its size. Use `meta.cursor` to read long lists; a page number costs as much"
                + " as all pages before it.")
        .role(Role.VIEWER)
        .tenants()
        .paged(TextRule.SESSION_CURSOR)
        .query(Parameter.text("clientid", "Exact client identifier").repeatable())
        .query(Parameter.text("username", "Exact user name"))
        .query(NodeLookup.query("Node that the client is connected to"))
        .query(Parameter.text("ip_address", "Exact IP address of the client"))
        .query(
            Parameter.choice(
                "conn_state", "State of the connection", List.of("connected", "disconnected")))
        .query(Parameter.flag("clean_start", "Whether the client connected with Clean Start"))
        .query(Parameter.number("proto_ver", "Protocol level", 3, 5))
        .query(Parameter.text("like_clientid", "Substring of the client identifier"))
        .query(Parameter.text("like_username", "Substring of the user name"))
        .query(Parameter.time("gte_created_at", "Only sessions created at this time or later"))
        .query(Parameter.time("lte_created_at", "Only sessions created at this time or earlier"))
        .query(
            Parameter.time(
                "gte_connected_at", "Only clients that connected at this time or " + "later"))
        .query(
            Parameter.time(
                "lte_connected_at", "Only clients that connected at this time or " + "earlier"))
        .query(Parameter.text("tenant", "Exact tenant", TextRule.WITHOUT_NUL))
        .okListOfFields(ClientJson.class)
        .notFound("The node does not exist")
        .conflict("Several nodes have this name")
        .handler(QueryErrors.translated(this::list));
  }

  private CompletableFuture<Response> list(Request request) {
    ClientFilter filter = filter(request);
    Paging paging = request.paging();
    List<String> named = request.texts("clientid");
    if (!named.isEmpty()) {
      return listNamed(request, filter, paging);
    }
    int skip = paging.cursor().isPresent() ? 0 : offset(paging);
    CompletableFuture<ClientPage> page =
        clients.list(filter, paging.cursor(), skip, paging.limit());
    CompletableFuture<Optional<Long>> count =
        filter.equals(ClientFilter.ALL)
            ? clients.count()
            : CompletableFuture.completedFuture(Optional.empty());
    return page.thenCombine(count, (found, total) -> response(found, paging, total));
  }

  private ClientFilter filter(Request request) {
    return new ClientFilter(
        ClientLookup.tenant(request),
        nodes.find(request).orElse(null),
        request.text("like_clientid").orElse(null),
        request.text("username").orElse(null),
        request.text("like_username").orElse(null),
        request.text("ip_address").orElse(null),
        request.text("conn_state").map("connected"::equals).orElse(null),
        request.findFlag("clean_start").orElse(null),
        request.findNumber("proto_ver").orElse(0),
        span(request, "gte_connected_at", "lte_connected_at"),
        span(request, "gte_created_at", "lte_created_at"));
  }

  private static TimeSpan span(Request request, String from, String to) {
    return new TimeSpan(
        request.time(from).map(Instant::toEpochMilli).orElse(0L),
        request.time(to).map(Instant::toEpochMilli).orElse(Long.MAX_VALUE));
  }

  static int offset(Paging paging) {
    long offset = (paging.page() - 1L) * paging.limit();
    if (offset > Paging.MAX_OFFSET) {
      throw ApiException.notFound(
          "page: at most %d elements can be skipped, not %d; use the cursor instead"
              .formatted(Paging.MAX_OFFSET, offset));
    }
    return (int) offset;
  }

  private static Response response(ClientPage page, Paging paging, Optional<Long> total) {
    @Nullable String next = page.next();
    boolean isAll =
        next == null
            && paging.page() == 1
            && paging.cursor().isEmpty()
            && page.problems().isEmpty();
    @Nullable Long count = isAll ? Long.valueOf(page.clients().size()) : total.orElse(null);
    Meta meta =
        new Meta(
            paging.page(),
            paging.limit(),
            next != null,
            count,
            next,
            page.problems().isEmpty() ? null : page.problems());
    return Response.list(page.clients(), meta);
  }

  private CompletableFuture<Response> listNamed(
      Request request, ClientFilter filter, Paging paging) {
    List<String> named = request.texts("clientid");
    if (named.size() > MAX_NAMED) {
      throw ApiException.badRequest(
          "clientid: at most %d identifiers, not %d".formatted(MAX_NAMED, named.size()));
    }
    List<String> possible = named.stream().distinct().filter(ClientLookup::canExist).toList();
    return searchAll(request, filter, possible, new ArrayList<>())
        .thenApply(
            searches -> {
              List<ClientRow> rows =
                  searches.stream()
                      .flatMap(search -> search.clients().stream())
                      .filter(filter::matches)
                      .toList();
              List<String> problems =
                  searches.stream()
                      .flatMap(search -> search.problems().stream())
                      .distinct()
                      .toList();
              return slice(rows, paging, problems);
            });
  }

  private CompletableFuture<List<Search>> searchAll(
      Request request, ClientFilter filter, List<String> clientIds, List<Search> done) {
    if (done.size() == clientIds.size()) {
      return CompletableFuture.completedFuture(done);
    }
    request.requireTimeLeft();
    int end = Math.min(clientIds.size(), done.size() + SEARCHED_AT_ONCE);
    List<CompletableFuture<Search>> searches =
        clientIds.subList(done.size(), end).stream()
            .map(id -> clients.find(filter.tenant(), id))
            .toList();
    return CompletableFuture.allOf(searches.toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            all -> {
              searches.forEach(search -> done.add(search.join()));
              return searchAll(request, filter, clientIds, done);
            });
  }

  /** Cuts a page out of a list that is in memory. */
  static Response slice(List<?> all, Paging paging, List<String> problems) {
    int from = Math.min(offset(paging), all.size());
    int to = Math.min(from + paging.limit(), all.size());
    Meta meta =
        new Meta(
            paging.page(),
            paging.limit(),
            to < all.size(),
            problems.isEmpty() ? Long.valueOf(all.size()) : null,
            null,
            problems.isEmpty() ? null : problems);
    return Response.list(all.subList(from, to), meta);
  }

  private Operation show() {
    return Operation.get("/clients/{clientid}")
        .id("showClient")
        .tag(TAG)
        .summary("Show a client or offline session")
        .role(Role.VIEWER)
        .tenants()
        .path("clientid", "Client identifier")
        .query(ClientLookup.tenantParameter())
        .ok(ClientJson.class)
        .notFound("No client or session has this identifier")
        .conflict("The identifier exists in several tenants")
        .error(503, "The client was not found, but part of the cluster did not respond")
        .handler(
            QueryErrors.translated(
                request -> lookup.find(request, request.path("clientid")).thenApply(Response::ok)));
  }

  private Operation kick() {
    return Operation.delete("/clients/{clientid}")
        .id("kickClient")
        .tag(TAG)
        .summary("Disconnect a client and end its session")
        .description(
            "An MQTT 5 client receives DISCONNECT with 0x98 (administrative action). The session"
                + " ends even if it is persistent: its subscriptions and queued messages are"
                + " removed, and its will is published. Offline sessions end as well.")
        .role(Role.OPERATOR)
        .tenants()
        .path("clientid", "Client identifier")
        .query(ClientLookup.tenantParameter())
        .noContent()
        .notFound("No client or session has this identifier")
        .conflict("The identifier exists in several tenants")
        .error(503, "The client was not found, but part of the cluster did not respond")
        .handler(
            QueryErrors.translated(
                request ->
                    kick(request, request.path("clientid"))
                        .thenApply(
                            known -> {
                              if (!known) {
                                throw ClientLookup.unknown(request.path("clientid"));
                              }
                              return Response.noContent();
                            })));
  }

  private Operation kickMany() {
    return Operation.post("/clients/kickout/bulk")
        .id("kickClients")
        .tag(TAG)
        .summary("Disconnect several clients and end their sessions")
        .description("Identifiers that do not exist are ignored.")
        .role(Role.OPERATOR)
        .tenants()
        .query(ClientLookup.tenantParameter())
        .bodyList(String.class, MAX_KICKED)
        .noContent()
        .conflict("An identifier exists in several tenants")
        .error(503, "A client was not found, but part of the cluster did not respond")
        .handler(
            QueryErrors.translated(
                request ->
                    kickAll(request, request.bodyList(String.class))
                        .thenApply(done -> Response.noContent())));
  }

  /** Kicks one client after another, so that many kicks do not fill the queues of the stores. */
  private CompletableFuture<Void> kickAll(Request request, List<String> clientIds) {
    return SequentialSteps.run(
        clientIds.size(),
        i -> {
          request.requireTimeLeft();
          return kick(request, clientIds.get(i));
        });
  }

  /** Kicks a client; completes with false if it does not exist. */
  private CompletableFuture<Boolean> kick(Request request, String clientId) {
    @Nullable String tenant = ClientLookup.tenant(request);
    if (!ClientLookup.canExist(clientId)) {
      return CompletableFuture.completedFuture(false);
    }
    return tenant != null
        ? kick(tenant, clientId)
        : lookup
            .find(request, clientId)
            .thenCompose(row -> kick(row.tenant(), row.clientId()))
            .exceptionallyCompose(ClientsResource::asUnknown);
  }

  private static CompletableFuture<Boolean> asUnknown(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return cause instanceof ApiException known && known.code() == ErrorCode.CLIENTID_NOT_FOUND
        ? CompletableFuture.completedFuture(false)
        : CompletableFuture.failedFuture(cause);
  }

  private CompletableFuture<Boolean> kick(String tenant, String clientId) {
    return clients
        .kick(tenant, clientId)
        .thenApply(
            kicked -> {
              boolean found = kicked.outcome() != KickOutcome.NOT_FOUND;
              if (!found) {
                ClientLookup.requireComplete(kicked.problems(), clientId);
              }
              return found;
            });
  }
}
