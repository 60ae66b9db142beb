package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.events.ClientEventQueries;
import io.fjordmq.broker.events.ClientTimeline;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The recent events of a client, which explain what happened to it. */
final class ClientEventsResource implements Resource {
  private final ClientEventQueries events;

  ClientEventsResource(ClientEventQueries events) {
    this.events = events;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.get("/clients/{clientid}/events")
            .id("listClientEvents")
            .tag("Clients")
            .summary("List the recent events of a client")
            .description(
                "The last 50 events of the client on each node, oldest first, with the reason for"
                    + " each refusal, denial, drop and disconnect. Nodes keep events in memory, and"
                    + " only for clients that had an event recently. Without a tenant, the list"
                    + " contains the clients of all tenants with this identifier, and connection"
                    + " attempts that were not authenticated.")
            .role(Role.VIEWER)
            .tenants()
            .path("clientid", "Client identifier")
            .query(Parameter.text("tenant", "Tenant of the client"))
            .okList(ClientEventJson.class)
            .notFound("No node has recorded events of the client")
            .error(503, "No events were found, but part of the cluster did not respond")
            .handler(this::list));
  }

  private CompletableFuture<Response> list(Request request) {
    String clientId = request.path("clientid");
    return events
        .find(ClientLookup.tenant(request), clientId)
        .thenApply(timeline -> response(timeline, clientId));
  }

  private static Response response(ClientTimeline timeline, String clientId) {
    List<ClientEventJson> data = timeline.events().stream().map(ClientEventJson::of).toList();
    if (data.isEmpty()) {
      ClientLookup.requireComplete(timeline.problems(), clientId);
      throw new ApiException(
          ErrorCode.CLIENTID_NOT_FOUND,
          "no node has recorded recent events of client '%s'".formatted(Excerpt.of(clientId)));
    }
    return Response.list(
        data,
        new Meta(
            1,
            Paging.MAX_LIMIT,
            false,
            (long) data.size(),
            null,
            timeline.problems().isEmpty() ? null : timeline.problems()));
  }
}
