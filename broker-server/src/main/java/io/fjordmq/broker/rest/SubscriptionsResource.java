package io.fjordmq.broker.rest;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.ClientQueries;
import io.fjordmq.broker.query.ClientRow;
import io.fjordmq.broker.query.ClientSubscription;
import io.fjordmq.broker.query.SubscriptionFilter;
import io.fjordmq.broker.query.SubscriptionQueries;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Subscriptions of clients and offline sessions of the whole cluster. */
public final class SubscriptionsResource implements Resource {
  private static final String TAG = "Subscriptions";
  private static final int MAX_CHANGES = 1_000;
  private static final int SKIPPED_AT_ONCE = 1_000;
  private static final int NO_SUBSCRIPTION_EXISTED = 0x11;
  private static final int FIRST_ERROR = 0x80;
  private static final int TOPIC_FILTER_INVALID = 0x8F;
  private static final int QUOTA_EXCEEDED = 0x97;

  private final SubscriptionQueries subscriptions;
  private final ClientQueries clients;
  private final ClientLookup lookup;
  private final NodeLookup nodes;

  SubscriptionsResource(
      SubscriptionQueries subscriptions, ClientQueries clients, NodeLookup nodes) {
    this.subscriptions = subscriptions;
    this.clients = clients;
    this.lookup = new ClientLookup(clients);
    this.nodes = nodes;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        list(), ofClient(), subscribe(), subscribeMany(), unsubscribe(), unsubscribeMany());
  }

  private Operation list() {
    return Operation.get("/subscriptions")
        .id("listSubscriptions")
        .tag(TAG)
        .summary("List subscriptions")
        .description(
            "Sorted like the list of clients. Filters other than `clientid`, `topic` and `tenant`"
                + " read the subscriptions of all clients.")
        .role(Role.VIEWER)
        .tenants()
        .paged(TextRule.SESSION_CURSOR)
        .query(NodeLookup.query("Node that the client is connected to"))
        .query(Parameter.text("clientid", "Exact client identifier"))
        .query(Parameter.number("qos", "Maximum QoS of the subscription", 0, 2))
        .query(Parameter.text("topic", "Exact topic filter, with $share/GROUP/ if shared"))
        .query(Parameter.text("share_group", "Exact group of shared subscriptions"))
        .query(
            Parameter.text(
                "match_topic",
                "Topic filter that matches the topic filter of the subscription",
                TextRule.TOPIC_FILTER))
        .query(Parameter.flag("durable", "Whether the subscription outlives the connection"))
        .query(Parameter.text("tenant", "Exact tenant", TextRule.WITHOUT_NUL))
        .okList(SubscriptionJson.class)
        .notFound("The node does not exist")
        .conflict("Several nodes have this name")
        .handler(QueryErrors.translated(this::list));
  }

  private CompletableFuture<Response> list(Request request) {
    SubscriptionFilter filter =
        new SubscriptionFilter(
            ClientLookup.tenant(request),
            request.text("clientid").orElse(null),
            nodes.find(request).orElse(null),
            request.findNumber("qos").orElse(-1),
            request.text("topic").orElse(null),
            request.text("share_group").orElse(null),
            request.text("match_topic").map(TopicFilter::parse).orElse(null),
            request.findFlag("durable").orElse(null));
    Paging paging = request.paging();
    String clientId = filter.clientId();
    if (clientId != null) {
      return listOfClient(clientId, filter, paging);
    }
    int offset = paging.cursor().isPresent() ? 0 : ClientsResource.offset(paging);
    return skip(request, filter, paging.cursor(), offset)
        .thenCompose(
            start ->
                start.isEnd()
                    ? CompletableFuture.completedFuture(
                        new SubscriptionQueries.Found(List.of(), null, List.of()))
                    : subscriptions.list(filter, start.cursor(), paging.limit()))
        .thenApply(found -> response(found, paging));
  }

  /**
   * Where a page starts.
   *
   * @param isEnd whether nothing is left
   */
  private record Start(Optional<String> cursor, boolean isEnd) {}

  /** Returns where a page starts that follows a number of subscriptions. */
  private CompletableFuture<Start> skip(
      Request request, SubscriptionFilter filter, Optional<String> cursor, int count) {
    if (count == 0) {
      return CompletableFuture.completedFuture(new Start(cursor, false));
    }
    request.requireTimeLeft();
    return subscriptions
        .list(filter, cursor, Math.min(count, SKIPPED_AT_ONCE))
        .thenCompose(
            found -> {
              @Nullable String next = found.next();
              return next == null
                  ? CompletableFuture.completedFuture(new Start(cursor, true))
                  : skip(request, filter, Optional.of(next), count - found.subscriptions().size());
            });
  }

  private static Response response(SubscriptionQueries.Found found, Paging paging) {
    @Nullable String next = found.next();
    boolean isAll =
        next == null
            && paging.page() == 1
            && paging.cursor().isEmpty()
            && found.problems().isEmpty();
    return Response.list(
        found.subscriptions().stream().map(SubscriptionJson::of).toList(),
        new Meta(
            paging.page(),
            paging.limit(),
            next != null,
            isAll ? Long.valueOf(found.subscriptions().size()) : null,
            next,
            found.problems().isEmpty() ? null : found.problems()));
  }

  private CompletableFuture<Response> listOfClient(
      String clientId, SubscriptionFilter filter, Paging paging) {
    if (!ClientLookup.canExist(clientId)) {
      return CompletableFuture.completedFuture(paging.slice(List.of()));
    }
    return clients
        .find(filter.tenant(), clientId)
        .thenCompose(
            search ->
                ofAll(search.clients(), 0, new ArrayList<>())
                    .thenApply(
                        found ->
                            ClientsResource.slice(
                                found.stream()
                                    .filter(filter::matches)
                                    .map(SubscriptionJson::of)
                                    .toList(),
                                paging,
                                search.problems())));
  }

  private CompletableFuture<List<ClientSubscription>> ofAll(
      List<ClientRow> rows, int from, List<ClientSubscription> found) {
    return from == rows.size()
        ? CompletableFuture.completedFuture(found)
        : subscriptions
            .ofClient(rows.get(from))
            .thenCompose(
                more -> {
                  found.addAll(more);
                  return ofAll(rows, from + 1, found);
                });
  }

  private Operation ofClient() {
    return clientOperation(Operation.get("/clients/{clientid}/subscriptions"))
        .id("listClientSubscriptions")
        .summary("List the subscriptions of a client or offline session")
        .role(Role.VIEWER)
        .okArray(SubscriptionJson.class)
        .handler(
            QueryErrors.translated(
                request ->
                    lookup
                        .find(request, request.path("clientid"))
                        .thenCompose(subscriptions::ofClient)
                        .thenApply(
                            found ->
                                Response.ok(found.stream().map(SubscriptionJson::of).toList()))));
  }

  private Operation.Builder clientOperation(Operation.Builder builder) {
    return builder
        .tag(TAG)
        .tenants()
        .path("clientid", "Client identifier")
        .query(ClientLookup.tenantParameter())
        .notFound("No client or session has this identifier")
        .conflict("The identifier exists in several tenants")
        .error(503, "Some nodes did not respond");
  }

  private Operation subscribe() {
    return clientOperation(Operation.post("/clients/{clientid}/subscribe"))
        .id("subscribeClient")
        .summary("Subscribe a connected client")
        .description(
            "Works like a SUBSCRIBE from the client, but without authorization. The limits of "
                + "its tenant"
                + " apply. The client receives retained messages unless `rh` says otherwise.")
        .role(Role.OPERATOR)
        .body(SubscribeJson.class)
        .ok(SubscriptionJson.class)
        .handler(
            QueryErrors.translated(
                request ->
                    lookup
                        .find(request, request.path("clientid"))
                        .thenCompose(row -> subscribe(row, request.body(SubscribeJson.class)))
                        .thenApply(Response::ok)));
  }

  private CompletableFuture<SubscriptionJson> subscribe(ClientRow client, SubscribeJson wanted) {
    wanted.requirePossible();
    return subscriptions
        .subscribe(client, wanted.filter(), wanted.options())
        .thenApply(
            code -> {
              requireSuccess(code, client, wanted.topic());
              return SubscriptionJson.of(
                  ClientSubscription.added(client, wanted.filter(), wanted.options()));
            });
  }

  private static void requireSuccess(int code, ClientRow client, String topic) {
    if (code < 0) {
      throw new ApiException(
          ErrorCode.CLIENTID_NOT_FOUND, "client '" + client.clientId() + "' is not connected");
    }
    if (code == QUOTA_EXCEEDED) {
      throw ApiException.conflict(
          ("topic '%s': the client has reached sessionConfig.maxSubscriptions or "
                  + "maxSubscriptionBytes")
              .formatted(topic));
    }
    if (code == TOPIC_FILTER_INVALID) {
      throw ApiException.badRequest(
          ("topic '%s' exceeds sessionConfig.maxTopicBytes or " + "maxTopicLevels")
              .formatted(topic));
    }
    if (code >= FIRST_ERROR) {
      throw ApiException.unavailable(
          "topic '%s': a store is unavailable (reason code 0x%02X)".formatted(topic, code));
    }
  }

  private Operation subscribeMany() {
    return clientOperation(Operation.post("/clients/{clientid}/subscribe/bulk"))
        .id("subscribeClientToMany")
        .summary("Subscribe a connected client to several topic filters")
        .description("Stops at the first filter that fails; earlier subscriptions remain.")
        .role(Role.OPERATOR)
        .bodyList(SubscribeJson.class, MAX_CHANGES)
        .okArray(SubscriptionJson.class)
        .handler(
            QueryErrors.translated(
                request ->
                    lookup
                        .find(request, request.path("clientid"))
                        .thenCompose(
                            row ->
                                subscribeAll(request, row, request.bodyList(SubscribeJson.class)))
                        .thenApply(Response::ok)));
  }

  private CompletableFuture<List<SubscriptionJson>> subscribeAll(
      Request request, ClientRow client, List<SubscribeJson> wanted) {
    List<SubscriptionJson> added = new ArrayList<>();
    return SequentialSteps.run(
            wanted.size(),
            i -> {
              request.requireTimeLeft();
              return subscribe(client, wanted.get(i)).thenAccept(added::add);
            })
        .thenApply(done -> added);
  }

  private Operation unsubscribe() {
    return clientOperation(Operation.post("/clients/{clientid}/unsubscribe"))
        .id("unsubscribeClient")
        .summary("Remove a subscription of a connected client")
        .role(Role.OPERATOR)
        .body(UnsubscribeJson.class)
        .noContent()
        .handler(
            QueryErrors.translated(
                request -> {
                  UnsubscribeJson unwanted = request.body(UnsubscribeJson.class);
                  return lookup
                      .find(request, request.path("clientid"))
                      .thenCompose(row -> unsubscribe(row, unwanted))
                      .thenApply(
                          existed -> {
                            if (!existed) {
                              throw new ApiException(
                                  ErrorCode.TOPIC_NOT_FOUND,
                                  "the client has no subscription to '" + unwanted.topic() + "'");
                            }
                            return Response.noContent();
                          });
                }));
  }

  /** Removes a subscription; completes with false if there was none. */
  private CompletableFuture<Boolean> unsubscribe(ClientRow client, UnsubscribeJson unwanted) {
    return subscriptions
        .unsubscribe(client, unwanted.filter())
        .thenApply(
            code -> {
              requireSuccess(code, client, unwanted.topic());
              return code != NO_SUBSCRIPTION_EXISTED;
            });
  }

  private Operation unsubscribeMany() {
    return clientOperation(Operation.post("/clients/{clientid}/unsubscribe/bulk"))
        .id("unsubscribeClientFromMany")
        .summary("Remove several subscriptions of a connected client")
        .description("Filters to which the client is not subscribed are ignored.")
        .role(Role.OPERATOR)
        .bodyList(UnsubscribeJson.class, MAX_CHANGES)
        .noContent()
        .handler(
            QueryErrors.translated(
                request ->
                    lookup
                        .find(request, request.path("clientid"))
                        .thenCompose(
                            row ->
                                unsubscribeAll(
                                    request, row, request.bodyList(UnsubscribeJson.class)))
                        .thenApply(done -> Response.noContent())));
  }

  private CompletableFuture<Void> unsubscribeAll(
      Request request, ClientRow client, List<UnsubscribeJson> unwanted) {
    return SequentialSteps.run(
        unwanted.size(),
        i -> {
          request.requireTimeLeft();
          return unsubscribe(client, unwanted.get(i));
        });
  }
}
