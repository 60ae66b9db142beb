package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The plugins of all nodes. */
@Command(name = "plugins", description = "List and reload the plugins of all nodes")
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
        "A plugin whose state is reload_needed has changed on the disk; 'plugins reload' loads it."
      })
  int list(
      @Mixin ListOptions list,
      @Option(names = "--node", paramLabel = "NODE", description = "id or name of a node")
          @Nullable String node) {
    return context.list(Listing.paged(ApiPath.of("plugins").with("node", node), COLUMNS), list);
  }

  @Command(
      name = "reload",
      description = {
        "Reload a plugin after its jar has been replaced",
        "If a node cannot use the new version, the previous one stays in use there."
      })
  int reload(
      @Parameters(paramLabel = "PLUGIN", description = "name of the plugin") String plugin,
      @Option(names = "--node", paramLabel = "NODE", description = "only on this node (id or name)")
          @Nullable String node,
      @Mixin JsonOption json) {
    ApiPath path = ApiPath.of("plugins", plugin, "reload").with("node", node);
    return context.done(context.api().post(path, null), json, "reloaded plugin " + plugin);
  }
}
