package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterResponses.OfNode;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.security.PluginStatus;
import io.fjordmq.common.OperationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The plugins of all nodes. */
final class PluginsResource implements Resource {
  private static final String TAG = "Plugins";

  private final NodeOperations nodes;
  private final NodeLookup lookup;

  /** A plugin of one node. */
  record PluginJson(
      @Field(
              value = "Name of the plugin: the name of its jar without .jar, or of its directory",
              example = "my-auth")
          String name,
      @Field("Id of the node") String node,
      @Field("Implementation-Version in the manifest of its jar; absent if there is none")
          @Nullable String version,
      @Field("`running`, or `reload_needed` if a jar has changed since the node loaded it")
          String state,
      @Field("Extension points that it implements, such as `Authenticator`") List<String> kinds,
      @Field("Its extension classes") List<String> classes,
      @Field("Its jar or directory") String file) {
    static PluginJson of(OfNode<PluginStatus> one) {
      PluginStatus plugin = one.value();
      return new PluginJson(
          plugin.name(),
          one.node(),
          plugin.version(),
          plugin.changed() ? "reload_needed" : "running",
          plugin.kinds(),
          plugin.classes(),
          plugin.path());
    }
  }

  PluginsResource(NodeOperations nodes, NodeLookup lookup) {
    this.nodes = nodes;
    this.lookup = lookup;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), reload());
  }

  private Operation list() {
    return Operation.get("/plugins")
        .id("listPlugins")
        .tag(TAG)
        .summary("List the plugins of all nodes")
        .description("The plugins of a node are in the order in which it calls them.")
        .role(Role.VIEWER)
        .paged()
        .query(NodeLookup.query("Only plugins of this node"))
        .okList(PluginJson.class)
        .notFound("The node does not exist")
        .conflict("Several nodes have this name")
        .handler(
            request -> {
              Optional<String> node = lookup.find(request);
              return nodes
                  .plugins()
                  .thenApply(
                      response ->
                          request
                              .paging()
                              .slice(
                                  response.values().stream()
                                      .filter(one -> node.map(one.node()::equals).orElse(true))
                                      .map(PluginJson::of)
                                      .toList(),
                                  response.problems()));
            });
  }

  private Operation reload() {
    return Operation.post("/plugins/{plugin}/reload")
        .id("reloadPlugin")
        .tag(TAG)
        .summary("Reload a plugin after its jar has been replaced")
        .description(
            "All nodes, or the given one, load the jar again. The new version starts before it"
                + " takes over, so that no call is lost; calls in progress end with the previous"
                + " version. If the new version does not start within 6 s, or provides other"
                + " extensions, the previous one stays in use. The settings are those of the"
                + " node's start.")
        .role(Role.ADMINISTRATOR)
        .path(Parameter.text("plugin", "Name of the plugin").example("my-auth"))
        .query(NodeLookup.query("Only on this node"))
        .ok(CommandOutcome.class)
        .notFound("No node has loaded such a plugin, or the node does not exist")
        .conflict(
            "A node still uses the previous version, or several nodes have this name; the message"
                + " explains it for each node")
        .handler(this::reload);
  }

  private CompletableFuture<Response> reload(Request request) {
    String plugin = request.path("plugin");
    Optional<String> node = lookup.find(request);
    return nodes
        .plugins()
        .thenCompose(
            response -> {
              List<String> owners =
                  response.values().stream()
                      .filter(one -> one.value().name().equals(plugin))
                      .map(OfNode::node)
                      .filter(owner -> node.map(owner::equals).orElse(true))
                      .toList();
              List<String> problems = node.isPresent() ? List.of() : response.problems();
              if (owners.isEmpty()) {
                throw ApiException.notFound(
                    "plugin '%s' is not loaded; GET /plugins lists the plugins"
                        .formatted(Excerpt.of(plugin)));
              }
              return reload(owners, plugin, problems);
            });
  }

  /**
   * @param problems nodes that may have the plugin, but did not respond
   */
  private CompletableFuture<Response> reload(
      List<String> owners, String plugin, List<String> problems) {
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    List<String> failed = Collections.synchronizedList(new ArrayList<>(problems));
    return CompletableFuture.allOf(
            owners.stream()
                .map(
                    owner ->
                        NodeErrors.command(nodes.reloadPlugin(owner, plugin))
                            .handle(
                                (response, failure) ->
                                    failure == null
                                        ? done.add("node " + owner)
                                        : failed.add("node " + owner + ": " + reason(failure))))
                .toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all -> {
              String success =
                  done.isEmpty()
                      ? ""
                      : "plugin %s was reloaded on %s"
                          .formatted(plugin, String.join(", ", sorted(done)));
              if (failed.isEmpty()) {
                return Response.ok(new CommandOutcome(success));
              }
              throw ApiException.conflict(
                  "plugin %s was not reloaded on %s%s"
                      .formatted(
                          plugin,
                          String.join("; ", sorted(failed)),
                          done.isEmpty() ? "" : "; " + success));
            });
  }

  private static String reason(Throwable failure) {
    return String.valueOf(OperationException.unwrap(failure).getMessage());
  }

  private static List<String> sorted(List<String> lines) {
    return lines.stream().sorted().toList();
  }
}
