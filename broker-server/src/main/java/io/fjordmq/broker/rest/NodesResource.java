package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.admin.NodeReport;
import io.fjordmq.broker.admin.NodeReports;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The nodes of the cluster. */
final class NodesResource implements Resource {
  private static final String TAG = "Nodes";

  private final ClusterView view;
  private final NodeReports reports;
  private final NodeLookup lookup;
  private final CommandQueue commands;

  NodesResource(ClusterView view, NodeReports reports, NodeLookup lookup, CommandQueue commands) {
    this.view = view;
    this.reports = reports;
    this.lookup = lookup;
    this.commands = commands;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), show(), remove());
  }

  private Operation list() {
    return Operation.get("/nodes")
        .id("listNodes")
        .tag(TAG)
        .summary("List the nodes")
        .role(Role.VIEWER)
        .okArray(NodeJson.class)
        .handler(
            request ->
                view.collect()
                    .thenCombine(
                        reports.collect(),
                        (status, collected) ->
                            Response.ok(
                                status.nodes().stream()
                                    .map(node -> json(node, status, collected))
                                    .toList())));
  }

  private Operation show() {
    return Operation.get("/nodes/{node}")
        .id("showNode")
        .tag(TAG)
        .summary("Show a node")
        .role(Role.VIEWER)
        .path(NodeLookup.parameter())
        .ok(NodeJson.class)
        .notFound("The node does not exist")
        .conflict("Several nodes have this name")
        .handler(
            request ->
                view.collect()
                    .thenCombine(
                        reports.collect(),
                        (status, collected) ->
                            Response.ok(
                                json(find(status, lookup.id(request)), status, collected))));
  }

  private Operation remove() {
    return Operation.delete("/nodes/{node}")
        .id("removeNode")
        .tag(TAG)
        .summary("Remove a lost node")
        .description(
            "Removes a node that is down and will not return. Its replicas move to other"
                + " nodes, and its id cannot be used again.")
        .role(Role.ADMINISTRATOR)
        .path(NodeLookup.parameter())
        .ok(CommandOutcome.class)
        .notFound("The node does not exist")
        .conflict(
            "The node is running, a range would lose its majority, or several nodes have this name")
        .handler(this::remove);
  }

  private CompletableFuture<Response> remove(Request request) {
    String node = lookup.id(request);
    return view.collect()
        .thenCompose(status -> commands.execute(request, "remove-node", find(status, node).id()))
        .thenApply(Response::ok);
  }

  private static NodeJson json(
      NodeLine node, ClusterStatus status, Map<String, NodeReport> reports) {
    long leads = status.ranges().stream().filter(range -> node.id().equals(range.leader())).count();
    return NodeJson.of(node, leads, reports.get(node.id()));
  }

  private static NodeLine find(ClusterStatus status, String id) {
    return status.nodes().stream()
        .filter(node -> node.id().equals(id))
        .findFirst()
        .orElseThrow(
            () -> ApiException.notFound("node '%s' does not exist".formatted(Excerpt.of(id))));
  }
}
