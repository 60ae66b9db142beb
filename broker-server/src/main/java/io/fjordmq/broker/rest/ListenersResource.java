package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.net.ListenerStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The listeners for clients on the node that responds. */
final class ListenersResource implements Resource {
  private static final String TAG = "Listeners";

  private final Supplier<List<ListenerStatus>> listeners;

  /** A listener. */
  record ListenerJson(
      @Field(value = "Key of the listener in the configuration", example = "tcpListener") String id,
      @Field("`tcp`, `ssl`, `ws`, `wss` or `unix`") String type,
      @Field("Address and port, or the path of a Unix domain socket") String bind,
      @Field("URL that clients connect to") String url,
      @Field("Whether the listener accepts connections") boolean running,
      @Field("Open connections, including those that have not sent a CONNECT yet")
          int currentConnections,
      @Field("Maximum number of open connections") int maxConnections) {
    static ListenerJson of(ListenerStatus status) {
      return new ListenerJson(
          status.name(),
          status.type(),
          status.bind(),
          status.url(),
          true,
          status.connections(),
          status.maxConnections());
    }
  }

  ListenersResource(Supplier<List<ListenerStatus>> listeners) {
    this.listeners = listeners;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.get("/listeners")
            .id("listListeners")
            .tag(TAG)
            .summary("List the listeners")
            .description("Lists the listeners of the node that receives the request.")
            .role(Role.VIEWER)
            .okArray(ListenerJson.class)
            .handler(
                request ->
                    CompletableFuture.completedFuture(
                        Response.ok(listeners.get().stream().map(ListenerJson::of).toList()))),
        Operation.get("/listeners/{listener}")
            .id("showListener")
            .tag(TAG)
            .summary("Show a listener")
            .role(Role.VIEWER)
            .path(
                Parameter.text("listener", "Key of the listener in the configuration")
                    .example("tcpListener"))
            .ok(ListenerJson.class)
            .notFound("The node that receives the request has no such listener")
            .handler(
                request ->
                    CompletableFuture.completedFuture(
                        Response.ok(find(request.path("listener"))))));
  }

  private ListenerJson find(String id) {
    return listeners.get().stream()
        .filter(listener -> listener.name().equals(id))
        .findFirst()
        .map(ListenerJson::of)
        .orElseThrow(
            () -> ApiException.notFound("listener '%s' does not exist".formatted(Excerpt.of(id))));
  }
}
