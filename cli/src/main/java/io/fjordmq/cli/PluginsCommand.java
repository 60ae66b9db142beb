package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The plugins of all nodes. */
@Command(name = "plugins", description = "List the plugins of all nodes")
final class PluginsCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("PLUGIN", "name"),
          Column.text("NODE", "node"),
          Column.text("VERSION", "version").optional(),
          Column.text("STATE", "state"),
          Column.text("KINDS", "kinds"),
          Column.text("CLASSES", "classes").ifWide(),
          Column.text("FILE", "file").ifWide());

  private final CommandContext context;

  PluginsCommand(CommandContext context) {
    this.context = context;
  }

  @Command(
      name = "list",
      description = {
        "List the plugins of all nodes",
        "A plugin whose state is restart_needed has changed on the disk; restart the node to load"
            + " it."
      })
  int list(
      @Mixin ListOptions list,
      @Option(names = "--node", paramLabel = "NODE", description = "id or name of a node")
          @Nullable String node) {
    return context.list(Listing.paged(ApiPath.of("plugins").with("node", node), COLUMNS), list);
  }
}
