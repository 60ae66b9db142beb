package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterResponses;
import io.fjordmq.broker.admin.ClusterResponses.OfNode;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.net.ListenerStatus;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The listeners for clients on all nodes. */
final class ListenersResource implements Resource {
  private static final String TAG = "Listeners";

  private static final Parameter ONLY_NODE = NodeLookup.query("Only listeners of this node");

  private final NodeOperations nodes;
  private final NodeLookup lookup;

  /** A listener. */
  record ListenerJson(
      @Field(value = "Key of the listener in the configuration", example = "tcpListener") String id,
      @Field("Id of the node") String node,
      @Field("`tcp`, `ssl`, `ws`, `wss` or `unix`") String type,
      @Field("Address and port, or the path of a Unix domain socket") String bind,
      @Field("URL that clients connect to") String url,
      @Field("Whether the listener accepts connections") boolean running,
      @Field("Open connections, including those that have not sent a CONNECT yet")
          int currentConnections,
      @Field("Maximum number of open connections") int maxConnections) {
    static ListenerJson of(OfNode<ListenerStatus> listener) {
      ListenerStatus status = listener.value();
      return new ListenerJson(
          status.name(),
          listener.node(),
          status.type(),
          status.bind(),
          status.url(),
          true,
          status.connections(),
          status.maxConnections());
    }
  }

  ListenersResource(NodeOperations nodes, NodeLookup lookup) {
    this.nodes = nodes;
    this.lookup = lookup;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.get("/listeners")
            .id("listListeners")
            .tag(TAG)
            .summary("List the listeners of all nodes")
            .role(Role.VIEWER)
            .paged()
            .query(ONLY_NODE)
            .okList(ListenerJson.class)
            .notFound("The node does not exist")
            .conflict("Several nodes have this name")
            .handler(this::list),
        Operation.get("/listeners/{listener}")
            .id("showListener")
            .tag(TAG)
            .summary("Show the listeners with this key, at most one on each node")
            .role(Role.VIEWER)
            .path(
                Parameter.text("listener", "Key of the listener in the configuration")
                    .example("tcpListener"))
            .paged()
            .query(ONLY_NODE)
            .okList(ListenerJson.class)
            .notFound("No node has such a listener, or the node does not exist")
            .conflict("Several nodes have this name")
            .handler(this::show));
  }

  private CompletableFuture<Response> list(Request request) {
    Optional<String> node = lookup.find(request);
    return nodes
        .listeners()
        .thenApply(
            response -> request.paging().slice(listeners(response, node), response.problems()));
  }

  private CompletableFuture<Response> show(Request request) {
    Optional<String> node = lookup.find(request);
    String id = request.path("listener");
    return nodes
        .listeners()
        .thenApply(
            response -> request.paging().slice(find(response, node, id), response.problems()));
  }

  private static List<ListenerJson> listeners(
      ClusterResponses<ListenerStatus> response, Optional<String> node) {
    return response.values().stream()
        .filter(listener -> node.map(listener.node()::equals).orElse(true))
        .map(ListenerJson::of)
        .toList();
  }

  private static List<ListenerJson> find(
      ClusterResponses<ListenerStatus> response, Optional<String> node, String id) {
    List<ListenerJson> found =
        listeners(response, node).stream().filter(listener -> listener.id().equals(id)).toList();
    if (found.isEmpty()) {
      throw ApiException.notFound("listener '%s' does not exist".formatted(Excerpt.of(id)));
    }
    return found;
  }
}
