package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The listeners of all nodes. */
@Command(name = "listeners", description = "List the listeners of all nodes")
final class ListenersCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("LISTENER", "id"),
          Column.text("NODE", "node"),
          Column.text("TYPE", "type"),
          Column.text("BIND", "bind"),
          Column.flag("RUNNING", "running"),
          Column.number("CONNECTIONS", "current_connections"),
          Column.number("MAX", "max_connections"));

  private final CommandContext context;

  ListenersCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List the listeners of all nodes")
  int list(
      @Mixin ListOptions list,
      @Option(names = "--node", paramLabel = "NODE", description = "id or name of a node")
          @Nullable String node) {
    return context.list(Listing.paged(ApiPath.of("listeners").with("node", node), COLUMNS), list);
  }
}
