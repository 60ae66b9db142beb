package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.ClusterStatus.RangeLine;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The ranges of the replicated stores. */
final class RangesResource implements Resource {
  private static final String TAG = "Ranges";
  private static final List<String> STORES = List.of("dist", "inbox", "retain");

  private static final Parameter RANGE =
      Parameter.text("range", "Id of the range").example("inbox-1");

  private final ClusterView view;
  private final CommandQueue commands;
  private final NodeOperations nodes;
  private final NodeLookup lookup;

  RangesResource(ClusterView view, CommandQueue commands, NodeOperations nodes, NodeLookup lookup) {
    this.view = view;
    this.commands = commands;
    this.nodes = nodes;
    this.lookup = lookup;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        list(),
        show(),
        command(
            "split",
            "splitRange",
            "Split a range",
            "Splits the range at a key that halves its load or size."),
        command("merge", "mergeRange", "Merge a range", "The range absorbs its right neighbor."),
        command(
            "cancel",
            "cancelRangeChange",
            "Cancel the pending changes of a range",
            "Placement retries a change after placementConfig.mergeCooldown if its cause remains."),
        rebuild(),
        command(
            "lower_clock",
            "lowerRangeClock",
            "Set back the clock of a range to cluster time",
            "Delays and expiry intervals take longer while the clock of a range is ahead."));
  }

  private Operation list() {
    return Operation.get("/ranges")
        .id("listRanges")
        .tag(TAG)
        .summary("List the ranges")
        .description("Ranges are sorted by store and key.")
        .role(Role.VIEWER)
        .query(Parameter.choice("store", "Only ranges of this store", STORES))
        .query(Parameter.text("leader", "Only ranges that this node leads (id or name)"))
        .paged()
        .okList(RangeJson.class)
        .notFound("The node does not exist")
        .conflict("Several nodes have this name")
        .handler(this::list);
  }

  private CompletableFuture<Response> list(Request request) {
    Optional<String> leader = request.text("leader").map(lookup::id);
    return view.collect().thenApply(status -> page(request, leader, status.ranges()));
  }

  private static Response page(Request request, Optional<String> leader, List<RangeLine> ranges) {
    return request
        .paging()
        .slice(
            ranges.stream()
                .filter(
                    range ->
                        request
                            .text("store")
                            .map(store -> range.range().startsWith(store + "-"))
                            .orElse(true))
                .filter(range -> leader.map(node -> node.equals(range.leader())).orElse(true))
                .map(RangeJson::of)
                .toList());
  }

  private Operation show() {
    return Operation.get("/ranges/{range}")
        .id("showRange")
        .tag(TAG)
        .summary("Show a range")
        .role(Role.VIEWER)
        .path(RANGE)
        .ok(RangeJson.class)
        .notFound("The range does not exist")
        .handler(
            request ->
                view.collect()
                    .thenApply(
                        status -> Response.ok(RangeJson.of(find(status, request.path("range"))))));
  }

  private Operation rebuild() {
    return Operation.post("/ranges/{range}/rebuild")
        .id("rebuildReplica")
        .tag(TAG)
        .summary("Rebuild a replica")
        .description("Discards the replica of one node, which then fetches a snapshot.")
        .role(Role.OPERATOR)
        .path(RANGE)
        .query(
            NodeLookup.query(
                "Node whose replica is broken; the node that receives the request if absent"))
        .ok(CommandOutcome.class)
        .notFound("The range or node does not exist")
        .conflict("The change is not possible now; the message explains why")
        .handler(
            request ->
                view.collect()
                    .thenCompose(
                        status ->
                            NodeErrors.command(
                                nodes.rebuild(
                                    lookup.find(request).orElse(nodes.self()),
                                    find(status, request.path("range")).range()))));
  }

  private Operation command(String name, String id, String summary, String description) {
    return Operation.post("/ranges/{range}/" + name)
        .id(id)
        .tag(TAG)
        .summary(summary)
        .description(description)
        .role(Role.OPERATOR)
        .path(RANGE)
        .ok(CommandOutcome.class)
        .notFound("The range does not exist")
        .conflict("The change is not possible now; the message explains why")
        .handler(request -> execute(request, name.replace('_', '-')));
  }

  private CompletableFuture<Response> execute(Request request, String command) {
    String range = request.path("range");
    return view.collect()
        .thenCompose(status -> commands.execute(request, command, find(status, range).range()))
        .thenApply(Response::ok);
  }

  private static RangeLine find(ClusterStatus status, String id) {
    return status.ranges().stream()
        .filter(range -> range.range().equals(id))
        .findFirst()
        .orElseThrow(
            () -> ApiException.notFound("range '%s' does not exist".formatted(Excerpt.of(id))));
  }
}
