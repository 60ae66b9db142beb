package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** The ranges of the replicated stores. */
@Command(name = "ranges", description = "List, split, merge, move and repair ranges")
final class RangesCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("RANGE", "range"),
          Column.text("LEADER", "leader"),
          Column.computed("VOTERS", range -> replicas(range.path("voters"))),
          Column.computed("LEARNERS", range -> replicas(range.path("learners"))).optional(),
          Column.number("REQUESTS/S", "load.requests_per_second"),
          Column.number("BUSY%", "load.busy_percent"),
          Column.bytes("SIZE", "load.bytes"),
          Column.computed("PINNED", range -> pin(range.path("pin"))).optional(),
          Column.text("PROBLEM", "problem").optional(),
          Column.text("KEYS", "keys").ifWide());

  private static final String RANGES = "ranges";
  private static final String RANGE = "RANGE";
  private static final String WHICH = "id of the range, such as inbox-1";

  /** All ranges of all stores. */
  static final Listing ALL = Listing.paged(ApiPath.of(RANGES), COLUMNS);

  private final CommandContext context;

  RangesCommand(CommandContext context) {
    this.context = context;
  }

  /** The nodes of replicas; how many entries they lag behind follows in parentheses. */
  private static String replicas(JsonNode replicas) {
    return replicas
        .valueStream()
        .map(
            replica -> {
              long lag = replica.path("lag").asLong(0);
              return replica.path("node").asString("") + (lag > 0 ? " (-" + lag + ")" : "");
            })
        .collect(Collectors.joining(", "));
  }

  /** The pinned voters; the pinned leader is marked. */
  private static String pin(JsonNode pin) {
    String leader = pin.path("leader").asString("");
    return pin.path("voters")
        .valueStream()
        .map(voter -> voter.asString(""))
        .map(voter -> voter.equals(leader) ? voter + " (leader)" : voter)
        .collect(Collectors.joining(", "));
  }

  @Command(name = "list", description = "List the ranges")
  int list(
      @Mixin ListOptions list,
      @Option(
              names = "--store",
              paramLabel = "STORE",
              description = "only ranges of this store: dist, inbox or retain")
          @Nullable String store,
      @Option(
              names = "--leader",
              paramLabel = "NODE",
              description = "only ranges that this node leads")
          @Nullable String leader) {
    return context.list(
        Listing.paged(ApiPath.of(RANGES).with("store", store).with("leader", leader), COLUMNS),
        list);
  }

  @Command(name = "show", description = "Show a range")
  int show(
      @Parameters(paramLabel = RANGE, description = WHICH) String range, @Mixin JsonOption json) {
    return context.show(context.api().get(ApiPath.of(RANGES, range)), json);
  }

  @Command(
      name = "split",
      description = "Split a range at the key that halves its load or, if it is idle, its size")
  int split(
      @Parameters(paramLabel = RANGE, description = WHICH) String range, @Mixin JsonOption json) {
    return send("split", range, json);
  }

  @Command(name = "merge", description = "Merge a range with its right neighbor")
  int merge(
      @Parameters(paramLabel = RANGE, description = WHICH) String range, @Mixin JsonOption json) {
    return send("merge", range, json);
  }

  @Command(name = "cancel", description = "Cancel the pending changes of a range")
  int cancel(
      @Parameters(paramLabel = RANGE, description = WHICH) String range, @Mixin JsonOption json) {
    return send("cancel", range, json);
  }

  @Command(
      name = "move",
      description = {
        "Move a voting replica of a range to another node",
        "The range stays on its nodes until 'ranges unpin', or until one of them is lost."
      })
  int move(
      @Parameters(paramLabel = RANGE, description = WHICH) String range,
      @Option(
              names = "--from",
              paramLabel = "NODE",
              required = true,
              description = "id or name of the node that gives up its replica")
          String from,
      @Option(
              names = "--to",
              paramLabel = "NODE",
              required = true,
              description = "id or name of the node that gets a replica")
          String to,
      @Mixin JsonOption json) {
    return post("move", range, Json.object().put("from", from).put("to", to), json);
  }

  @Command(
      name = "move-leader",
      description = {
        "Transfer the leadership of a range to another of its voters",
        "That node leads whenever it can, until 'ranges unpin'."
      })
  int moveLeader(
      @Parameters(paramLabel = RANGE, description = WHICH) String range,
      @Option(
              names = "--to",
              paramLabel = "NODE",
              required = true,
              description = "id or name of the node that should lead")
          String to,
      @Mixin JsonOption json) {
    return post("move_leader", range, Json.object().put("to", to), json);
  }

  @Command(name = "unpin", description = "Let placement balance a range that was moved")
  int unpin(
      @Parameters(paramLabel = RANGE, description = WHICH) String range, @Mixin JsonOption json) {
    return send("unpin", range, json);
  }

  @Command(
      name = "rebuild",
      description = {
        "Replace a replica with an empty one that fetches a snapshot",
        "Rebuilds the replica of the node that receives the request, unless --node names another."
      })
  int rebuild(
      @Parameters(paramLabel = RANGE, description = WHICH) String range,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "id or name of the node whose replica is broken")
          @Nullable String node,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    String owner = node == null ? "this node's replica" : "the replica of node '" + node + "'";
    if (!context.confirm(yes, "Discard " + owner + " of range '" + range + "'?")) {
      return ExitCode.FAILED;
    }
    ApiPath path = ApiPath.of(RANGES, range, "rebuild").with("node", node);
    return context.done(context.api().post(path, null), json, "rebuild done");
  }

  @Command(
      name = "lower-clock",
      description = "Set the clock of a range that is ahead back to cluster time")
  int lowerClock(
      @Parameters(paramLabel = RANGE, description = WHICH) String range, @Mixin JsonOption json) {
    return send("lower_clock", range, json);
  }

  private int send(String command, String range, JsonOption json) {
    return post(command, range, null, json);
  }

  private int post(String command, String range, @Nullable JsonNode body, JsonOption json) {
    return context.done(
        context.api().post(ApiPath.of(RANGES, range, command), body), json, command + " done");
  }
}
