package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import java.util.Locale;
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
          Column.text("NODE", "node").whole(),
          Column.text("NAME", "name"),
          Column.text("ADDRESS", "address").ifWide(),
          Column.text("STATE", "state"),
          Column.text("VERSION", "version").ifWide(),
          Column.number("CLIENTS", "connections"),
          Column.number("LEADS", "leads"),
          Column.computed("DISK", StatusCommand::disk).whole(),
          Column.computed("UPTIME", StatusCommand::uptime).whole());

  private static final double GIB = 1L << 30;

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
          ClusterCommand.printProblems(context.api().get(ApiPath.of("cluster")).json(), notes);
        });
  }

  /** Returns used and total space, such as {@code 12.5/100.0 GiB}; empty if unknown. */
  private static String disk(JsonNode node) {
    JsonNode used = node.path("disk_used");
    JsonNode total = node.path("disk_total");
    if (!used.isNumber() || !total.isNumber()) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "%.1f/%.1f GiB%s",
        used.asDouble() / GIB,
        total.asDouble() / GIB,
        node.path("disk_low").asBoolean(false) ? " LOW" : "");
  }

  private static String uptime(JsonNode node) {
    return Durations.text(node.path("uptime"));
  }
}
