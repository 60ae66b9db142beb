package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The nodes, with problems of the cluster. */
@Command(name = "status", description = "Show the nodes of the cluster and its problems")
final class StatusCommand implements Callable<Integer> {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("NODE", "node"),
          Column.text("ADDRESS", "address"),
          Column.text("STATE", "state"),
          Column.text("VERSION", "version").optional(),
          Column.number("CLIENTS", "connections"),
          Column.number("LEADS", "leads"),
          Column.computed("UPTIME", StatusCommand::uptime),
          Column.flag("METADATA-LEADER", "leads_metadata"));

  private static final Listing NODES = Listing.whole(ApiPath.of("nodes"), COLUMNS);

  private final CommandContext context;

  @Option(names = "--ranges", description = "also show the ranges")
  private boolean withRanges;

  @Option(names = "--json", description = "print the nodes as a JSON array")
  private boolean isJson;

  @Mixin private final WatchOption watch = new WatchOption();

  StatusCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (isJson && withRanges) {
      throw new UsageException(
          "--json and --ranges cannot be combined; use 'fjordmq ranges list --json'");
    }
    if (isJson) {
      ListOptions options = new ListOptions();
      options.isJson = true;
      options.watch.seconds = watch.seconds;
      return context.list(NODES, options);
    }
    return context.repeat(
        watch,
        (out, notes) -> {
          context.print(NODES, Integer.MAX_VALUE, out, notes);
          if (withRanges) {
            out.println();
            context.print(RangesCommand.ALL, Integer.MAX_VALUE, out, notes);
          }
          context
              .api()
              .get(ApiPath.of("cluster"))
              .json()
              .path("notes")
              .forEach(note -> notes.accept(note.asString()));
        });
  }

  /** Returns the uptime in its two largest units, such as {@code 3d 4h}; empty if unknown. */
  private static String uptime(JsonNode node) {
    JsonNode millis = node.path("uptime");
    if (!millis.isNumber()) {
      return "";
    }
    Duration uptime = Duration.ofMillis(millis.asLong());
    if (uptime.toDays() > 0) {
      return uptime.toDays() + "d " + uptime.toHoursPart() + "h";
    } else if (uptime.toHours() > 0) {
      return uptime.toHours() + "h " + uptime.toMinutesPart() + "m";
    }
    return uptime.toMinutes() > 0
        ? uptime.toMinutes() + "m " + uptime.toSecondsPart() + "s"
        : uptime.toSeconds() + "s";
  }
}
