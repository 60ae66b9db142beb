package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The alarms of all nodes. */
@Command(name = "alarms", description = "List alarms, and clear their history")
final class AlarmsCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.time("SINCE", "activate_at"),
          Column.time("UNTIL", "deactivate_at").optional(),
          Column.computed("FOR", AlarmsCommand::duration),
          Column.text("ALARM", "name").whole(),
          Column.text("NODE", "node").whole(),
          Column.text("MESSAGE", "message").whole());

  private static final String ALARMS = "alarms";

  private final CommandContext context;

  AlarmsCommand(CommandContext context) {
    this.context = context;
  }

  private static String duration(JsonNode alarm) {
    return Durations.text(alarm.path("duration"));
  }

  @Command(name = "list", description = "List the active alarms of all nodes, latest first")
  int list(
      @Mixin ListOptions list,
      @Option(names = "--history", description = "list deactivated alarms instead")
          boolean isHistory) {
    return context.list(
        Listing.paged(ApiPath.of(ALARMS).with("activated", isHistory ? "false" : "true"), COLUMNS),
        list);
  }

  @Command(name = "clear", description = "Clear the alarm history of all nodes")
  int clear(@Mixin JsonOption json) {
    return context.done(context.api().delete(ApiPath.of(ALARMS)), json, "alarm history cleared");
  }
}
