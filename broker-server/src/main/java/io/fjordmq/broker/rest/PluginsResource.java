package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterAnswer.OfNode;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.security.PluginStatus;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The plugins of all nodes. */
final class PluginsResource implements Resource {
  private final NodeOperations nodes;
  private final NodeLookup lookup;

  /** A plugin of one node. */
  record PluginJson(
      @Field(value = "Name of its jar without .jar, or of its directory", example = "my-auth")
          String name,
      @Field("Id of the node") String node,
      @Field("Implementation-Version in the manifest of its jar; absent if there is none")
          @Nullable String version,
      @Field("`running`, or `restart_needed` if a jar has changed since the node loaded it")
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
          plugin.changed() ? "restart_needed" : "running",
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
    return List.of(
        Operation.get("/plugins")
            .id("listPlugins")
            .tag("Plugins")
            .summary("List the plugins of all nodes")
            .description(
                "The plugins of a node are in the order in which it calls them. To load changed"
                    + " plugins, restart the node.")
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
                          answer ->
                              request
                                  .paging()
                                  .slice(
                                      answer.values().stream()
                                          .filter(one -> node.map(one.node()::equals).orElse(true))
                                          .map(PluginJson::of)
                                          .toList(),
                                      answer.problems()));
                }));
  }
}
