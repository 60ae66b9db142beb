package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The cluster as a whole. */
@Command(name = "cluster", description = "Show the cluster, and manage its nodes and cluster time")
final class ClusterCommand {
  private static final String CLUSTER = "cluster";
  private static final String NAMES = "node_names";
  private static final String NODES = "nodes";
  private static final String LOAD_REBALANCE = "load_rebalance";
  private static final String NODE = "NODE";
  private static final String NODE_NAME = "id or name of the node, as listed by status";
  private static final int WAIT_SECONDS = 1;

  /** Consecutive failed requests after which the command stops waiting for another node. */
  private static final int MAX_FAILURES = 30;

  private static final int MAX_RANGES = 10_000;

  static final List<Column> EVACUATION_COLUMNS =
      List.of(
          Column.text("NODE", "node"),
          Column.text("STATE", "state"),
          Column.number("CLIENTS", "current_connected"),
          Column.number("LEADS", "led_ranges"),
          Column.number("CLIENTS/S", "conn_evict_rate"));

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
    ObjectNode shown = cluster.deepCopy();
    if (cluster.has("nodes")) {
      shown.set("nodes", namedNodes(cluster));
    }
    shown.remove(List.of("notes", NAMES));
    context.show(new ApiReply(reply.status(), reply.text(), shown), json);
    printProblems(cluster, context.terminal()::message);
    return ExitCode.DONE;
  }

  /** Passes on the notes about a cluster, without the one that only repeats its id and env. */
  static void printProblems(JsonNode cluster, Consumer<String> notes) {
    String identity =
        "cluster %s, env %s"
            .formatted(cluster.path("name").asString(""), cluster.path("env").asString(""));
    cluster
        .path("notes")
        .valueStream()
        .map(note -> note.asString(""))
        .filter(note -> !note.equals(identity))
        .forEach(notes);
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
      @Parameters(paramLabel = NODE, description = NODE_NAME) String node,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (!context.confirm(yes, "Permanently remove node '" + node + "'?")) {
      return ExitCode.FAILED;
    }
    return context.done(
        context.api().delete(ApiPath.of("nodes", node)), json, "node '" + node + "' removed");
  }

  @Command(
      name = "drain",
      description = {
        "Move leadership and clients off a node that keeps running",
        "The node refuses new clients until undrain, or until it restarts."
      })
  int drain(
      @Parameters(paramLabel = NODE, description = NODE_NAME) String node,
      @Option(
              names = "--rate",
              paramLabel = "N",
              description =
                  "clients to disconnect per second (default: drainConfig.clientsPerSecond)")
          @Nullable Integer rate,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object();
    if (rate != null) {
      body.put("conn_evict_rate", rate);
    }
    return context.done(
        context.api().post(ApiPath.of(LOAD_REBALANCE, node, "evacuation", "start"), body),
        json,
        "node '" + node + "' is being drained");
  }

  @Command(
      name = "undrain",
      description = {
        "Let a drained node accept clients and lead ranges again",
        "Clients that have reconnected to other nodes stay there."
      })
  int undrain(
      @Parameters(paramLabel = NODE, description = NODE_NAME) String node, @Mixin JsonOption json) {
    return context.done(
        context.api().post(ApiPath.of(LOAD_REBALANCE, node, "evacuation", "stop"), null),
        json,
        "node '" + node + "' accepts clients again");
  }

  @Command(name = "drain-status", description = "Show which nodes are being drained")
  int drainStatus(@Mixin ListOptions list) {
    return context.list(
        Listing.paged(ApiPath.of(LOAD_REBALANCE, "status"), EVACUATION_COLUMNS), list);
  }

  @Command(
      name = "decommission",
      description = {
        "Move the replicas and clients of a node to others, then stop and remove it",
        "Waits until the node is removed. The node continues if this command is interrupted; a"
            + " restart of the node cancels it."
      })
  int decommission(
      @Parameters(paramLabel = NODE, description = NODE_NAME) String node,
      @Option(names = "--no-wait", description = "do not wait until the node is removed")
          boolean isDetached,
      @Option(
              names = "--if-member",
              description = "succeed without changes if the cluster has no such node")
          boolean isOptional,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (isOptional && find(node) == null) {
      context.terminal().line("node '" + node + "' is not a member of the cluster");
      return ExitCode.DONE;
    }
    if (!context.confirm(
        yes, "Move everything off node '" + node + "', stop it, and remove it permanently?")) {
      return ExitCode.FAILED;
    }
    ApiReply reply = context.api().post(ApiPath.of(NODES, node, "decommission"), null);
    context.done(reply, json, "node '" + node + "' is being decommissioned");
    return isDetached || json.isJson ? ExitCode.DONE : await(node);
  }

  /**
   * Prints the progress until the node is no longer a member. Only reads: each repeated request to
   * decommission the node would be another audit record.
   */
  private int await(String idOrName) {
    boolean isSelf = isSelf(idOrName);
    int failures = 0;
    String last = "";
    while (context.pause(WAIT_SECONDS)) {
      @Nullable JsonNode node;
      try {
        node = find(idOrName);
        failures = 0;
      } catch (ApiFailure failure) {
        if (!isSelf) {
          failures++;
          if (failures == MAX_FAILURES) {
            throw failure;
          }
          continue; // another node responds: it may only be busy
        }
        context
            .terminal()
            .message(
                "the node that responded has stopped; run 'fjordmq cluster status' on another node"
                    + " to see whether node '"
                    + idOrName
                    + "' has left");
        return ExitCode.DONE;
      }
      if (node == null) {
        context.terminal().line("node '" + idOrName + "' has stopped and is no longer a member");
        return ExitCode.DONE;
      }
      String progress = progress(node, last);
      if (!progress.equals(last)) {
        context.terminal().line(progress);
        last = progress;
      }
    }
    return ExitCode.DONE;
  }

  /** Whether the node that responds is this node; false if that is unknown. */
  private boolean isSelf(String idOrName) {
    try {
      String self = context.api().get(ApiPath.of(CLUSTER)).json().path("self").asString("");
      JsonNode node = find(idOrName);
      return node != null && node.path("node").asString("").equals(self);
    } catch (ApiFailure failure) {
      return false;
    }
  }

  private @Nullable JsonNode find(String idOrName) {
    return context
        .api()
        .get(ApiPath.of(NODES))
        .json()
        .valueStream()
        .filter(
            one ->
                one.path("node").asString("").equals(idOrName)
                    || one.path("name").asString("").equals(idOrName))
        .findFirst()
        .orElse(null);
  }

  /** Says what the node still has to hand over; the last text if that is unknown. */
  private String progress(JsonNode node, String last) {
    String id = node.path("node").asString("");
    long ranges;
    try {
      ranges =
          context
              .api()
              .get(ApiPath.of("ranges").with("limit", MAX_RANGES))
              .json()
              .path("data")
              .valueStream()
              .filter(range -> isVoter(range, id))
              .count();
    } catch (ApiFailure failure) {
      return last; // the node is stopping
    }
    return "ranges to hand over: %d, clients: %s"
        .formatted(ranges, node.path("connections").asString("0"));
  }

  private static boolean isVoter(JsonNode range, String node) {
    return range
        .path("voters")
        .valueStream()
        .anyMatch(voter -> voter.path("node").asString("").equals(node));
  }

  @Command(
      name = "leave",
      description = {
        "Decommission the node that receives the request",
        "Like decommission, for the node chosen with -c, -d or --url."
      })
  int leave(
      @Option(names = "--no-wait", description = "do not wait until the node is removed")
          boolean isDetached,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    String self = context.api().get(ApiPath.of(CLUSTER)).json().path("self").asString("");
    return decommission(self, isDetached, false, yes, json);
  }

  @Command(
      name = "level",
      description = {
        "Show the cluster level and the levels that each node supports",
        "docs/UPGRADING.md explains how to upgrade a cluster."
      })
  int level(@Mixin JsonOption json) {
    ApiReply reply = context.api().get(ApiPath.of(CLUSTER, "level"));
    if (json.isJson || !(reply.json() instanceof ObjectNode level)) {
      return context.show(reply, json);
    }
    ObjectNode shown = level.deepCopy();
    ArrayNode nodes = level.arrayNode();
    level
        .path(NODES)
        .valueStream()
        .map(
            node ->
                "%s: %d to %d"
                    .formatted(
                        node.path("node").asString(""),
                        node.path("lowest").asInt(0),
                        node.path("highest").asInt(0)))
        .forEach(nodes::add);
    shown.set(NODES, nodes);
    return context.show(new ApiReply(reply.status(), reply.text(), shown), json);
  }

  @Command(
      name = "upgrade",
      description = {
        "Raise the cluster level to the highest that all nodes support",
        "Completes an upgrade immediately. Afterwards, older versions can no longer join."
      })
  int upgrade(@Mixin YesOption yes, @Mixin JsonOption json) {
    if (!context.confirm(
        yes, "Raise the cluster level? Afterwards, older versions can no longer join.")) {
      return ExitCode.FAILED;
    }
    return context.done(
        context.api().post(ApiPath.of(CLUSTER, "upgrade"), null), json, "cluster level raised");
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
