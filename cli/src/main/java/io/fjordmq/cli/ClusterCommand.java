package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The cluster as a whole. */
@Command(name = "cluster", description = "Show the cluster, and manage its nodes and cluster time")
final class ClusterCommand {
  private static final String CLUSTER = "cluster";
  private static final String NAMES = "node_names";

  private final CommandContext context;

  ClusterCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "status", description = "Show the cluster, its nodes and its problems")
  int status(@Mixin JsonOption json) {
    ApiReply reply = context.api().get(ApiPath.of(CLUSTER));
    if (json.isJson || !(reply.json() instanceof ObjectNode cluster)) {
      return context.show(reply, json);
    }
    JsonNode notes = cluster.path("notes");
    ObjectNode shown = cluster.deepCopy();
    if (cluster.has("nodes")) {
      shown.set("nodes", namedNodes(cluster));
    }
    shown.remove(List.of("notes", NAMES));
    context.show(new ApiReply(reply.status(), reply.text(), shown), json);
    notes.forEach(note -> context.terminal().message(note.asString()));
    return Main.DONE;
  }

  /** Returns the ids of the nodes, each followed by its name if it has one. */
  private static ArrayNode namedNodes(ObjectNode cluster) {
    ArrayNode nodes = cluster.arrayNode();
    for (JsonNode node : cluster.path("nodes")) {
      String id = node.asString("");
      String name = cluster.path(NAMES).path(id).asString(id);
      nodes.add(name.equals(id) ? id : id + " (" + name + ")");
    }
    return nodes;
  }

  @Command(
      name = "remove",
      description = {
        "Remove a node that is down and will not return",
        "Its replicas move to other nodes, and its id cannot be used again."
      })
  int remove(
      @Parameters(paramLabel = "NODE", description = "id or name of the node, as listed by status")
          String node,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (!context.confirm(yes, "Permanently remove node '" + node + "'?")) {
      return Main.FAILED;
    }
    return context.done(
        context.api().delete(ApiPath.of("nodes", node)), json, "node '" + node + "' removed");
  }

  @Command(
      name = "accept-clock",
      description = {
        "Advance cluster time to the clocks of the nodes",
        "Use it after a downtime of more than membershipConfig.maxClockAdvance, and only if the"
            + " clocks of all nodes are correct."
      })
  int acceptClock(@Mixin JsonOption json) {
    return context.done(
        context.api().post(ApiPath.of(CLUSTER, "accept_clock"), null),
        json,
        "cluster time advanced to the clocks of the nodes");
  }
}
