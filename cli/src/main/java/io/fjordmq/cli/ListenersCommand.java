package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The listeners of the node that responds. */
@Command(name = "listeners", description = "List the listeners of a node")
final class ListenersCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("LISTENER", "id"),
          Column.text("TYPE", "type"),
          Column.text("BIND", "bind"),
          Column.flag("RUNNING", "running"),
          Column.number("CONNECTIONS", "current_connections"),
          Column.number("MAX", "max_connections"));

  private final CommandContext context;

  ListenersCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List the listeners of the node that responds")
  int list(@Mixin ListOptions list) {
    return context.list(Listing.whole(ApiPath.of("listeners"), COLUMNS), list);
  }
}
