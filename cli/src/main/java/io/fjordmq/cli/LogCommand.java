package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The levels of loggers. */
@Command(name = "log", description = "List and change the levels of loggers")
final class LogCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("NODE", "node"),
          Column.text("LOGGER", "logger"),
          Column.text("LEVEL", "level"),
          Column.flag("CHANGED", "changed"),
          Column.time("UNTIL", "until").optional());

  private static final String LOG = "log";
  private static final String LEVELS = "levels";
  private static final String LOGGER = "LOGGER";
  private static final String WHICH =
      "class or package, its last part if that is unique, or ROOT; 'clients' logs each client that"
          + " connects or disconnects";
  private static final String NODE = "--node";
  private static final String NODE_LABEL = "NODE";

  private final CommandContext context;

  LogCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = LEVELS, description = "List the loggers that have their own level")
  int levels(
      @Mixin ListOptions list,
      @Option(names = NODE, paramLabel = NODE_LABEL, description = "only the levels of this node")
          @Nullable String node) {
    return context.list(Listing.whole(ApiPath.of(LOG, LEVELS).with("node", node), COLUMNS), list);
  }

  @Command(
      name = "set-level",
      description = {
        "Change the level of a logger until the node stops",
        "Restarted nodes have the levels of conf/logback.xml again."
      })
  int setLevel(
      @Parameters(paramLabel = LOGGER, description = WHICH) String logger,
      @Parameters(paramLabel = "LEVEL", description = "off, error, warn, info, debug or trace")
          String level,
      @Option(
              names = NODE,
              paramLabel = NODE_LABEL,
              description = "only on this node (default: on all nodes)")
          @Nullable String node,
      @Option(
              names = "--for",
              paramLabel = "DURATION",
              description = "end the change after this time, such as 90s, 10m or 2h")
          @Nullable String duration,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("level", level.toLowerCase(Locale.ROOT));
    if (node != null) {
      body.put("node", node);
    }
    if (duration != null) {
      Duration time = ExpiryOptions.parseDuration(duration);
      body.put("for_seconds", time.toSeconds());
    }
    return report(context.api().put(ApiPath.of(LOG, LEVELS, logger), body), json);
  }

  @Command(name = "reset-level", description = "Restore the level of a logger")
  int resetLevel(
      @Parameters(paramLabel = LOGGER, description = WHICH) String logger,
      @Option(
              names = NODE,
              paramLabel = NODE_LABEL,
              description = "only on this node (default: on all nodes)")
          @Nullable String node,
      @Mixin JsonOption json) {
    return report(context.api().delete(ApiPath.of(LOG, LEVELS, logger).with("node", node)), json);
  }

  /** Prints the new levels; fails if a node has not changed its level. */
  private int report(ApiReply reply, JsonOption json) {
    JsonNode changed = reply.json().path("data");
    String nodes =
        changed
            .valueStream()
            .map(level -> level.path("node").asString(""))
            .collect(Collectors.joining(", "));
    JsonNode first = changed.path(0);
    context.done(
        reply,
        json,
        "%s logs at level %s on %s"
            .formatted(first.path("logger").asString(""), first.path("level").asString(""), nodes));
    JsonNode missing = reply.json().path("meta").path("partial");
    if (missing.isEmpty()) {
      return ExitCode.DONE;
    }
    context.terminal().message("not changed on all nodes: " + Column.plain(missing));
    return ExitCode.FAILED;
  }
}
