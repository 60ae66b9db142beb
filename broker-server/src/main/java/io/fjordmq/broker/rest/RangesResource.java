package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.ClusterStatus.RangeLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The ranges of the replicated stores. */
final class RangesResource implements Resource {
  private static final String TAG = "Ranges";
  private static final List<String> STORES = List.of("dist", "inbox", "retain");

  private static final Parameter RANGE =
      Parameter.text("range", "Id of the range").example("inbox-1");

  /** Which replica to move. */
  record Move(
      @Field(
              value = "Node that gives up its voting replica (id or name)",
              minLength = 1,
              maxLength = 256)
          String from,
      @Field(value = "Node that gets a voting replica (id or name)", minLength = 1, maxLength = 256)
          String to) {}

  /** The node that should lead the range. */
  record MoveLeader(
      @Field(
              value = "Node that should lead; it has a voting replica (id or name)",
              minLength = 1,
              maxLength = 256)
          String to) {}

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
        move(),
        moveLeader(),
        command("unpin", "unpinRange", "Unpin a range", "Placement balances the range again."),
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

  private Operation move() {
    return action("move", "moveReplica", "Move a replica to another node")
        .description(
            "The node that receives the replica fetches a snapshot, then the other one leaves the"
                + " range. The response does not wait for that. The range stays on its nodes until"
                + " it is unpinned, one of the nodes is decommissioned, removed or down for"
                + " placementConfig.replaceAfter, or the store gets fewer voters.")
        .body(Move.class)
        .handler(
            request -> {
              Move move = request.body(Move.class);
              return execute(request, "move", lookup.id(move.from()), lookup.id(move.to()));
            });
  }

  private Operation moveLeader() {
    return action("move_leader", "moveLeader", "Transfer the leadership of a range")
        .description(
            "The node leads the range whenever it can, until the range is unpinned. The voters of"
                + " the range stay as well.")
        .body(MoveLeader.class)
        .handler(
            request ->
                execute(request, "move-leader", lookup.id(request.body(MoveLeader.class).to())));
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
    return action(name, id, summary)
        .description(description)
        .handler(request -> execute(request, name.replace('_', '-')));
  }

  private static Operation.Builder action(String name, String id, String summary) {
    return Operation.post("/ranges/{range}/" + name)
        .id(id)
        .tag(TAG)
        .summary(summary)
        .role(Role.OPERATOR)
        .path(RANGE)
        .ok(CommandOutcome.class)
        .notFound("The range, or a node that the request names, does not exist")
        .conflict("The change is not possible now; the message explains why");
  }

  private CompletableFuture<Response> execute(
      Request request, String command, String... arguments) {
    String range = request.path("range");
    return view.collect()
        .thenCompose(
            status -> {
              List<String> words = new ArrayList<>(List.of(command, find(status, range).range()));
              words.addAll(List.of(arguments));
              return commands.execute(request, words.toArray(new String[0]));
            })
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
